import type { Feature } from '../../core/runtime/site.ts';
import { checkForgeOptions, FORGE_OPTIONS } from './options.ts';

/** Content in a repository, over the API of its git host or over the git protocol. */
export const forge: Feature = {
  name: 'forge',
  needs: ['replica'],
  options: FORGE_OPTIONS,
  checkOptions: checkForgeOptions,
  storesContent: ({ storage }) => storage !== undefined,
  async storage({ folder, options, carried, environment = {}, log }) {
    const { storage } = options;
    if (folder !== undefined || storage === undefined || carried === undefined) return undefined;
    const { openForgeStorage } = await import('./forge-storage.ts');
    const { driver, files } = await carried();
    return openForgeStorage({ storage, options, carried: driver, files, environment, log });
  },
};
