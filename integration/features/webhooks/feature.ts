import type { Feature } from '../../core/runtime/site.ts';
import { WEBHOOK_OPTIONS } from './options.ts';

/** Calls other services after changes of what visitors see. */
export const webhooks: Feature = {
  name: 'webhooks',
  options: WEBHOOK_OPTIONS,
  async open({ site: { options, environment }, log, services }) {
    if (environment === undefined || options.webhooks.length === 0) return undefined;
    const { createWebhooks } = await import('./webhooks.ts');
    const { report, close } = createWebhooks({
      webhooks: options.webhooks,
      environment,
      hiddenTypes: () => services().settings.hiddenTypes ?? [],
      isCommitted: () => services().commits?.isBusy() !== true,
      log,
    });
    return { observe: report, close };
  },
};
