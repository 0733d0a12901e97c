import type { Roles } from '../../integration/access/role.ts';

const ANY_ARTICLE = { actions: ['create', 'update', 'delete'], bundles: ['article'] } as const;

/**
 * What the accounts of the recorded site hold beside Drupal's role of everybody who is signed in, as a site would
 * write it: `editor` sees own unpublished articles only, but may change any that is seen; nobody but an administrator
 * publishes or dates anything.
 */
export const RECORDED_ROLES: Roles = {
  authenticated: { permissions: [{ actions: ['view'], bundles: '*', where: 'published' }] },
  editor: {
    permissions: [
      { actions: ['view'], bundles: ['article'], where: ['own', 'unpublished'] },
      { ...ANY_ARTICLE, fields: { change: { except: ['uid', 'status', 'created', 'changed'] } } },
    ],
  },
  reporter: {
    permissions: [
      {
        ...ANY_ARTICLE,
        actions: ['create'],
        fields: { change: { except: ['uid', 'status', 'created', 'changed'] } },
      },
    ],
  },
};
