import path from 'node:path';
import type { FeatureTooling } from '../../core/runtime/site.ts';
import { errorMessage } from '../../core/util/text.ts';
import { accountsFileOf, spellings } from './accounts-path.ts';
import { account } from './commands/account.ts';
import { accountsFileOption } from './options.ts';

export const tooling: FeatureTooling = {
  commands: [account],
  sessionFiles: new URL('./session-files.js', import.meta.url),
  async checks(site) {
    if (site.options.editing === false) return [];
    try {
      accountsFileOf(site, site.options, true);
      return [];
    } catch (error) {
      return [errorMessage(error)];
    }
  },
  unserved(settings, options) {
    const { signIn, dev, root } = settings;
    // Accounts stay private while editing is off.
    const file = signIn
      ? accountsFileOf(settings, options, dev)
      : path.resolve(root, accountsFileOption(options));
    return spellings(file);
  },
};
