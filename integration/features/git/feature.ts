import type { Feature } from '../../core/runtime/site.ts';
import { checkGitOptions, GIT_OPTIONS, gitSettings } from './options.ts';
import { GIT_ROUTES } from './routes.ts';

/** Commits of changes, the branch that the content follows, and conflicts with changes of others. */
export const git: Feature = {
  name: 'git',
  needs: ['replica'],
  options: GIT_OPTIONS,
  checkOptions: checkGitOptions,
  settings: ({ gitHookSecret }, { dev, hasServer }) => ({
    gitHook: gitHookSecret !== undefined && hasServer && !dev,
  }),
  routes: GIT_ROUTES,
  async storage({ options, folder, cacheFile, version, log }) {
    if (folder === undefined) return undefined;
    const { createGitDriver } = await import('./driver.ts');
    const { createHistoryCache } = await import('./history-cache.ts');
    const path = cacheFile?.('history.cache');
    const historyCache = path === undefined ? undefined : createHistoryCache({ path, version, log });
    return { driver: createGitDriver(folder, { historyCache, branch: gitSettings(options)?.branch }) };
  },
  open: async (runtime) => (await import('./open-git.ts')).openGit(runtime),
  describe: async () => [(await import('./describe.ts')).describeGit],
};
