import { fileURLToPath } from 'node:url';
import type { FeatureTooling } from '../../core/runtime/site.ts';
import { sync } from './command.ts';
import { withoutAddress } from './options.ts';

const POSTGRES_MODULE = 'astro-jsonapi:postgres';

export const tooling: FeatureTooling = {
  commands: [sync],
  builtOptions: ({ engine }) => (engine === undefined ? {} : { engine: withoutAddress(engine) }),
  modules: ({ canImport }) => ({
    [POSTGRES_MODULE]: () => {
      const missing = ['kysely', 'pg'].filter((name) => !canImport(name));
      if (missing.length > 0) {
        throw new Error(
          `Option engine needs the packages kysely and pg. Run: npm install ${missing.join(' ')}`,
        );
      }
      const module = fileURLToPath(new URL('./open.js', import.meta.url)).replaceAll('\\', '/');
      return `export * as default from ${JSON.stringify(module)};`;
    },
  }),
  serverParts: ({ options }) => (options.engine === undefined ? {} : { postgres: POSTGRES_MODULE }),
};
