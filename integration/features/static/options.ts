import { z } from 'zod';
import { BOOLEAN, QUERY_NAME } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';
import type { FileBounds, StaticFiles } from '../../core/read/settings.ts';

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
  /**
   * Whether the files of JSON:API collections contain bodies. Files of single entities always do. Default: only without files
   * of single entities, so that each body is written once.
   */
  readonly bodies?: boolean | undefined;
  /**
   * Whether the build writes a snapshot, from which `astro-jsonapi/client` answers every query. Default: if a script of the
   * site imports that module, or if the explorer or the service worker is on.
   */
  readonly queries?: boolean | undefined;
  /** Whether the build writes `jsonapi-worker.js`, a service worker that answers queries. Default: `false`. */
  readonly worker?: boolean | undefined;
  /** Whether the build writes the OpenAPI description, `jsonapi/openapi.json`. Default: `false`. */
  readonly openapi?: boolean | undefined;
  /**
   * Whether the build copies all content files that documents name. Without it, the build copies those that pages and bodies
   * show. Default: if there is a snapshot.
   */
  readonly files?: boolean | undefined;
  /**
   * Whether each entity has `.json` files of its own. With bounds for all documents, the build leaves out files of entities, then
   * bodies, then other languages until the rest fits. Default: 10,000 files and 100 megabytes.
   */
  readonly documents?: boolean | { readonly [name in keyof FileBounds]?: number | undefined } | undefined;
}

const LEAST_ONE = z.number().min(1).describe('a number from 1');

export const STATIC_OPTIONS = {
  static: z
    .union([
      z.literal(false),
      z.strictObject({
        bodies: BOOLEAN.optional(),
        queries: BOOLEAN.optional(),
        worker: BOOLEAN.default(false),
        openapi: BOOLEAN.default(false),
        files: BOOLEAN.optional(),
        documents: z
          .union([
            z.boolean(),
            z.strictObject({ files: LEAST_ONE.default(10_000), megabytes: LEAST_ONE.default(100) }),
          ])
          .describe('true, false or { files: 10000, megabytes: 100 }')
          .default({ files: 10_000, megabytes: 100 }),
      }),
    ])
    .describe(
      'false or { bodies, queries, worker, openapi, files, documents }; queries by name are in prebuild',
    )
    .prefault({}),
  prebuild: z
    // Addresses such as `/_suggest` have no files.
    .record(z.string().regex(QUERY_NAME), z.string().regex(/^\/(?:jsonapi\/)?(?!jsonapi\/|_)[^/?#]+\/[^/?#]/))
    .describe(
      "queries by name (letters, digits, - and _), each of a collection or an entity, such as { recent: '/node/article?sort=-changed' }",
    )
    .default({}),
} satisfies OptionFields<'static' | 'prebuild'>;
