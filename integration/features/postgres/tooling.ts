import { fileURLToPath } from 'node:url';
import type { FeatureTooling } from '../../core/runtime/site.ts';
import { loadPostgres, sync } from './command.ts';
import { accountStoreOption, withoutAddress } from './options.ts';

const POSTGRES_MODULE = 'astro-jsonapi:postgres';

export const tooling: FeatureTooling = {
  commands: [sync],
  builtOptions({ engine, editing }) {
    const store = accountStoreOption({ editing });
    return {
      ...(engine && { engine: withoutAddress(engine) }),
      ...(editing !== false && store && { editing: { ...editing, accountStore: withoutAddress(store) } }),
    };
  },
  parts: () => ({ postgres: loadPostgres }),
  modules: ({ canImport }) => ({
    [POSTGRES_MODULE]: () => {
      const missing = ['kysely', 'pg'].filter((name) => !canImport(name));
      if (missing.length > 0) {
        throw new Error(`PostgreSQL needs the packages kysely and pg. Run: npm install ${missing.join(' ')}`);
      }
      const module = fileURLToPath(new URL('./open.js', import.meta.url)).replaceAll('\\', '/');
      return `export * as default from ${JSON.stringify(module)};`;
    },
  }),
  serverParts: ({ options }) =>
    options.engine === undefined && accountStoreOption(options) === undefined
      ? {}
      : { postgres: POSTGRES_MODULE },
};
