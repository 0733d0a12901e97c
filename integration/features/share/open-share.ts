import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import type { QueriedServices } from '../../core/api/jsonapi/answer.ts';
import { openShared } from '../../core/runtime/open-features.ts';
import type { OpenedFeature, OpeningRuntime, Site } from '../../core/runtime/site.ts';
import { createSharedShares, createShareFile } from './share-store.ts';
import { createSharedPages } from './shared-page.ts';
import { createSharesApi } from './shares-api.ts';

export async function openShare({ site, members }: OpeningRuntime): Promise<OpenedFeature> {
  const { now = Date.now } = site;
  const database = await openShared(site);
  const store = database ? createSharedShares(database) : createShareFile(fileOf(site));
  const contents = new AsyncLocalStorage<QueriedServices>();
  const deps = { store, now, members };
  return {
    shown: () => contents.getStore(),
    handlers: {
      ...createSharesApi(deps),
      'shared-page': createSharedPages({
        ...deps,
        show: (reader, work) => contents.run(reader, work),
      }),
    },
    ...(database && { close: () => database.close() }),
  };
}

/** Beside the accounts file, with a name that begins with its name: the dev server serves neither. */
function fileOf({ settings, options, accountsFlag, environment, localMode }: Site): string {
  const { root } = settings;
  const option = options.editing === false ? '' : options.editing.accountsFile;
  const variable = environment?.JSONAPI_ACCOUNTS ?? (localMode ? process.env.JSONAPI_ACCOUNTS : undefined);
  const file = accountsFlag
    ? path.resolve(accountsFlag.cwd, accountsFlag.written)
    : path.resolve(...(variable ? [variable] : [root, option]));
  return `${file}.shares`;
}
