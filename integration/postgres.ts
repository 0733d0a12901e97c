/** Public entry `astro-jsonapi/postgres`: a value of option `engine`. */
import type { EngineOptions } from './features/postgres/options.ts';

export type { EngineOptions } from './features/postgres/options.ts';

/**
 * A server answers from tables in PostgreSQL, which `astro-jsonapi sync` fills, and keeps no content in memory.
 *
 * ```ts
 * jsonapi({ engine: postgres({ url: process.env.DATABASE_URL }) });
 * ```
 */
export function postgres(options: Omit<EngineOptions, 'name'> = {}): EngineOptions {
  return { ...options, name: 'postgres' };
}
