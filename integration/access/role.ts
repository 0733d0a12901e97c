/** What may be done to an entity. */
export const ACTIONS = ['view', 'create', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];
/** An action that gives values to fields. */
export type ChangeAction = Extract<Action, 'create' | 'update'>;

/** What is not done to single entities of a bundle. */
export const SPECIAL_PERMISSIONS = [
  'use raw html',
  'write mdx',
  'administer accounts',
  'view revisions',
] as const;
export type SpecialPermission = (typeof SPECIAL_PERMISSIONS)[number];

export const WHERE_WORDS = ['published', 'unpublished', 'own'] as const;
export type WhereWord = (typeof WHERE_WORDS)[number];

/** As `filter[…]` nests: `{ field_rating: { operator: '>', value: 3 } }` is `filter[field_rating][operator]=>…`. */
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
 * `published` and `unpublished`: what anonymous readers would see by status and schedule, and what not. `own`: field
 * `uid` is the name of the actor's account, letter by letter.
 */
export type WhereData = WhereWord | FilterData;

/** These fields only, or all but these. */
export type FieldNames = readonly string[] | { readonly except: readonly string[] };

/** Who holds it may do `actions` to entities of `bundles` that meet all of `where`; to all of them without it. */
export interface Permission {
  readonly actions: readonly Action[];
  /** Names in full (`taxonomy_term--tags`), those of `node` without it; `'*'` for all. */
  readonly bundles: '*' | readonly string[];
  readonly where?: WhereData | readonly WhereData[] | undefined;
  readonly fields?:
    | {
        /** What is shown. All fields, but `uid` to anonymous, where nothing is said. */
        readonly view?: FieldNames | undefined;
        /** What may be changed, and given to a new entity. All fields but `uid` where nothing is said. */
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
/** Every account has it. */
export const AUTHENTICATED_ROLE = 'authenticated';
export const ADMINISTRATOR_ROLE = 'administrator';

/** Who sets whose an entity is may give it away, and take it. */
export const OWNER_FIELD = 'uid';

const EVERYTHING: FieldNames = { except: [] };

/** What holds where option `roles` says nothing. */
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

/** The role of a name: as the site has it, else as it is built in; an administrator may only be given more. */
export function roleNamed(name: string, roles: Roles): Role | undefined {
  const own = Object.hasOwn(roles, name) ? roles[name] : undefined;
  const builtIn = Object.hasOwn(BUILT_IN_ROLES, name) ? BUILT_IN_ROLES[name] : undefined;
  if (name !== ADMINISTRATOR_ROLE || own === undefined) return own ?? builtIn;
  return { ...builtIn, also: [...(builtIn?.also ?? []), ...(own.also ?? [])] };
}
