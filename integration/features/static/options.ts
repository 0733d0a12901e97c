import { z } from 'zod';
import { BOOLEAN, QUERY_NAME } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';
import type { StaticFiles } from '../../core/read/settings.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** The `.json` files of a build without an adapter; `false` writes none. */
    readonly static?: false | StaticOptions | undefined;
    /**
     * Queries by name: `{ latest: '/node/article?sort=-created' }`. A static build writes them as files, and a server serves
     * them as views. Default: `{}`.
     */
    readonly prebuild?: Readonly<Record<string, string>> | undefined;
  }
  interface Options {
    static: StaticFiles;
    prebuild: Readonly<Record<string, string>>;
  }
}

export interface StaticOptions {
  /** Whether the files of JSON:API collections contain bodies. Files of single entities always do. Default: `true`. */
  readonly bodies?: boolean | undefined;
  /** Whether the build writes a snapshot, from which `astro-jsonapi/client` answers every query. Default: `true`. */
  readonly queries?: boolean | undefined;
  /**
   * Whether each entity has `.json` files of its own; a number writes them up to this many entities. Default: `5000`.
   */
  readonly documents?: boolean | number | undefined;
}

export const STATIC_OPTIONS = {
  static: z
    .union([
      z.literal(false),
      z.strictObject({
        bodies: BOOLEAN.default(true),
        queries: BOOLEAN.default(true),
        documents: z
          .union([z.boolean(), z.int().min(1)])
          .describe('true, false or a number of entities')
          .default(5000),
      }),
    ])
    .describe('false or { bodies, queries, documents }; queries by name are in prebuild')
    .prefault({}),
  prebuild: z
    .record(z.string().regex(QUERY_NAME), z.string().regex(/^\/[^/]/))
    .describe(
      "queries by name (letters, digits, - and _), each starting with /, such as { recent: '/node/article?sort=-changed' }",
    )
    .default({}),
} satisfies OptionFields<'static' | 'prebuild'>;
