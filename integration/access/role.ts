/** Actions on an entity. */
export const ACTIONS = ['view', 'create', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];
/** An action that sets fields. */
export type ChangeAction = Extract<Action, 'create' | 'update'>;

/** Permissions that do not concern single entities. */
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
 * `published` and `unpublished`: by status and schedule, as anonymous readers see it. `own`: field `uid` is exactly the
 * name of the actor's account.
 */
export type WhereData = WhereWord | FilterData;

/** These field names, or all but these. */
export type FieldNames = readonly string[] | { readonly except: readonly string[] };

/** Allows `actions` on the entities of `bundles` that meet all of `where` (without it: on all of them). */
export interface Permission {
  readonly actions: readonly Action[];
  /** Names of `node` bundles, full names of others (`taxonomy_term--tags`), or `'*'` for all. */
  readonly bundles: '*' | readonly string[];
  readonly where?: WhereData | readonly WhereData[] | undefined;
  readonly fields?:
    | {
        /** Visible fields. Default: all, but without `uid` for anonymous readers. */
        readonly view?: FieldNames | undefined;
        /** Fields that may be set by a creation or an update. Default: all but `uid`. */
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
/** The role of every account. */
export const AUTHENTICATED_ROLE = 'authenticated';
export const ADMINISTRATOR_ROLE = 'administrator';

/** The field with the owner's account name. Writing it transfers ownership. */
export const OWNER_FIELD = 'uid';

const EVERYTHING: FieldNames = { except: [] };

/** Roles that option `roles` can replace. */
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

/** The site's own role of this name, else the built-in one. A site can only add to the administrator. */
export function roleNamed(name: string, roles: Roles): Role | undefined {
  const custom = Object.hasOwn(roles, name) ? roles[name] : undefined;
  const builtIn = Object.hasOwn(BUILT_IN_ROLES, name) ? BUILT_IN_ROLES[name] : undefined;
  if (name !== ADMINISTRATOR_ROLE || custom === undefined) return custom ?? builtIn;
  return { ...builtIn, also: [...(builtIn?.also ?? []), ...(custom.also ?? [])] };
}
