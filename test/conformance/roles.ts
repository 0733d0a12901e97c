import type { Roles } from '../../integration/core/access/role.ts';

const ANY_ARTICLE = { actions: ['create', 'update', 'delete'], bundles: ['article'] } as const;

/**
 * Drupal's role of signed-in users on the recorded site, as a site configures it: `editor` sees its own unpublished
 * articles but may change all visible ones; only administrators publish or set dates.
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
