import type { Feature } from '../../core/runtime/site.ts';
import { accountStoreOption, POSTGRES_OPTIONS } from './options.ts';
import type { PostgresModule } from './postgres-runtime.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** The module `open.ts`, which needs packages that not every site has. */
    readonly postgres?: () => Promise<PostgresModule>;
  }
}

/** The content in PostgreSQL, for sites with option `engine`, and what servers share, with `editing.accountStore`. */
export const postgres: Feature = {
  name: 'postgres',
  options: POSTGRES_OPTIONS,
  async engine(server) {
    if (server.site.options.engine === undefined) return undefined;
    return (await import('./postgres-runtime.ts')).openPostgresRuntime(server);
  },
  async openShared({ options, environment = process.env, postgres: load, log }) {
    const store = accountStoreOption(options);
    if (store === undefined || load === undefined) return undefined;
    const [{ openSharedState }, { addressOf }] = await Promise.all([load(), import('./availability.ts')]);
    const url = () => addressOf('editing.accountStore', store.url, environment, log);
    return openSharedState({ url, schema: store.schema, log });
  },
  tooling: async () => (await import('./tooling.ts')).tooling,
};
