import type { Feature } from '../../core/runtime/site.ts';
import { DEPLOY_OPTIONS } from './options.ts';
import { DEPLOY_ROUTES } from './routes.ts';

/** Says which changes are on the published site, and starts its builds. */
export const deploy: Feature = {
  name: 'deploy',
  needs: ['admin'],
  options: DEPLOY_OPTIONS,
  checkOptions({ deploy: options }, report) {
    if (options?.hook === undefined || options.command === undefined) return;
    report('deploy', 'set hook or command, not both.');
  },
  routes: DEPLOY_ROUTES,
  async open(runtime) {
    const { settings, options } = runtime.site;
    if (!settings.admin || settings.readOnly) return undefined;
    return (await import('./open-deploy.ts')).openDeploy(runtime, options.deploy);
  },
  tooling: async () => (await import('./tooling.ts')).tooling,
  describe: async () => [(await import('./describe.ts')).describeDeploy],
};
