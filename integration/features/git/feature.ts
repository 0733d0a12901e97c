import type { Feature } from '../../core/runtime/site.ts';
import { GIT_ROUTES } from './routes.ts';

/** Commits of changes, the branch that the content follows, and conflicts with changes of others. */
export const git: Feature = {
  name: 'git',
  routes: GIT_ROUTES,
  open: async (runtime) => (await import('./open-git.ts')).openGit(runtime),
};
