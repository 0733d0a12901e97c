import type { Feature } from '../../core/runtime/site.ts';
import { POSTGRES_OPTIONS } from './options.ts';
import type { PostgresModule } from './postgres-runtime.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** The module `open.ts`, which needs packages that not every site has. */
    readonly postgres?: () => Promise<PostgresModule>;
  }
}

/** The content in PostgreSQL, for sites with option `engine`. */
export const postgres: Feature = {
  name: 'postgres',
  options: POSTGRES_OPTIONS,
  async engine(server) {
    if (server.site.options.engine === undefined) return undefined;
    return (await import('./postgres-runtime.ts')).openPostgresRuntime(server);
  },
  tooling: async () => (await import('./tooling.ts')).tooling,
};
