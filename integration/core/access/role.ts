/** Actions on an entity. */
export const ACTIONS = ['view', 'create', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];
/** An action that sets fields. */
export type ChangeAction = Extract<Action, 'create' | 'update'>;

/** Permissions that are not about single entities. */
export const SPECIAL_PERMISSIONS = [
  'use raw html',
  'write mdx',
  'administer accounts',
  'view revisions',
] as const;
export type SpecialPermission = (typeof SPECIAL_PERMISSIONS)[number];

export const WHERE_WORDS = ['published', 'unpublished', 'own'] as const;
export type WhereWord = (typeof WHERE_WORDS)[number];

/** Nested like `filter[…]`: `{ field_rating: { operator: '>', value: 3 } }` is `filter[field_rating][operator]=>…`. */
export interface FilterData {
  readonly [key: string]: FilterValue;
}
export type FilterValue =
  | string
  | number
  | boolean
  | readonly (string | number | boolean)[]
  | { readonly [key: string]: FilterValue };

/**
 * `published`: status and schedule make the entity visible to anonymous readers. `unpublished`: they do not. `own`: field
 * `uid` is exactly the name of the actor's account.
 */
export type WhereData = WhereWord | FilterData;

/** These fields, or all fields except these. */
export type FieldNames = readonly string[] | { readonly except: readonly string[] };

/** Allows `actions` on entities of `bundles` that match every condition of `where`; on all of them without `where`. */
export interface Permission {
  readonly actions: readonly Action[];
  /** Bundles of `node` by name, others by full name (`taxonomy_term--tags`); `'*'` for all. */
  readonly bundles: '*' | readonly string[];
  readonly where?: WhereData | readonly WhereData[] | undefined;
  readonly fields?:
    | {
        /** Visible fields. Default: all fields, for anonymous without `uid`. */
        readonly view?: FieldNames | undefined;
        /** Fields that can be changed, and set in a new entity. Default: all fields except `uid`. */
        readonly change?: FieldNames | undefined;
      }
    | undefined;
}

export interface Role {
  readonly permissions?: readonly Permission[] | undefined;
  readonly also?: readonly SpecialPermission[] | undefined;
}

export type Roles = Readonly<Record<string, Role>>;

export const ANONYMOUS_ROLE = 'anonymous';
/** Every account has this role. */
export const AUTHENTICATED_ROLE = 'authenticated';
export const ADMINISTRATOR_ROLE = 'administrator';

/** The field with the owner's account name. */
export const OWNER_FIELD = 'uid';

const EVERYTHING: FieldNames = { except: [] };

/** Defaults of option `roles`. */
export const BUILT_IN_ROLES: Roles = {
  [ANONYMOUS_ROLE]: { permissions: [{ actions: ['view'], bundles: '*', where: 'published' }] },
  [AUTHENTICATED_ROLE]: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published' },
      { actions: ['view'], bundles: '*', where: ['own', 'unpublished'] },
    ],
  },
  editor: { permissions: [{ actions: ACTIONS, bundles: '*' }], also: ['view revisions'] },
  [ADMINISTRATOR_ROLE]: {
    permissions: [{ actions: ACTIONS, bundles: '*', fields: { view: EVERYTHING, change: EVERYTHING } }],
    also: ['use raw html', 'administer accounts', 'view revisions'],
  },
};

/** A role by name: the site's, else the built-in one. A site can only add to the administrator role. */
export function roleNamed(name: string, roles: Roles): Role | undefined {
  const custom = Object.hasOwn(roles, name) ? roles[name] : undefined;
  const builtIn = Object.hasOwn(BUILT_IN_ROLES, name) ? BUILT_IN_ROLES[name] : undefined;
  if (name !== ADMINISTRATOR_ROLE || custom === undefined) return custom ?? builtIn;
  return { ...builtIn, also: [...(builtIn?.also ?? []), ...(custom.also ?? [])] };
}

/** The roles that accounts of a site can have: the built-in ones and those of option `roles`. */
export function assignableRoles(roles: Roles): readonly string[] {
  const names = new Set([...Object.keys(BUILT_IN_ROLES), ...Object.keys(roles)]);
  for (const implied of [ANONYMOUS_ROLE, AUTHENTICATED_ROLE]) names.delete(implied);
  return [...names];
}
