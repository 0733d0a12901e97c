import type { Feature } from '../../core/runtime/site.ts';
import { BIN_OPTIONS, hasBin } from './options.ts';
import { BIN_ROUTES } from './routes.ts';

/** Keeps deleted entries in the folder `.bin/`, where people find and restore them. */
export const bin: Feature = {
  name: 'bin',
  options: BIN_OPTIONS,
  routes: BIN_ROUTES,
  handlers: async () => (await import('./handlers.ts')).BIN_HANDLERS,
  async open({ site }) {
    if (!hasBin(site.options)) return undefined;
    const { keepRemoved } = await import('./keep-removed.ts');
    return { follow: keepRemoved };
  },
  describe: async () => [(await import('./describe.ts')).describeBin],
};
