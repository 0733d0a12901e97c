import { EDITING, JSONAPI } from '../../core/api/routes.ts';
import type { Feature } from '../../core/runtime/site.ts';
import { CONFLICTS_SEGMENT } from './conflicts-segment.ts';

/** Commits of changes, the branch that the content follows, and conflicts with changes of others. */
export const git: Feature = {
  name: 'git',
  routes: [
    { ...EDITING, name: 'conflicts', below: `/${CONFLICTS_SEGMENT}`, methods: ['GET'] },
    { ...EDITING, name: 'conflict', below: `/${CONFLICTS_SEGMENT}/[id]`, methods: ['GET', 'PATCH'] },
    { ...JSONAPI, name: 'git-hook', below: '/hooks/git', option: 'gitHook', methods: ['POST'] },
  ],
  open: async (runtime) => (await import('./open-git.ts')).openGit(runtime),
};
