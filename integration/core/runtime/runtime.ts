import type { Actor } from '../access/actor.ts';
import type { Members } from '../access/members.ts';
import type { ClientContext, Services } from '../api/request.ts';
import type { UntypedContentApi } from '../builder/index.ts';
import type { FileSources } from '../content/file-catalog.ts';
import type { FullText } from '../engine/text/full-text.ts';
import type { Handler } from '../server/handler.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import type { StorageDriver } from '../storage/driver.ts';
import type { RouteCache } from './route-cache.ts';

/** The loaded content of one project. */
export interface Runtime {
  readonly services: Services;
  /** The exports of `astro-jsonapi:content`. */
  readonly content: UntypedContentApi;
  readonly driver: StorageDriver;
  readonly files: FileSources;
  /** Null if full-text search is off. */
  readonly fullText: FullText | null;
  /** Formats problems: one line each, or with their lines of source. */
  describeProblems(list: readonly Diagnostic[]): Promise<string>;
  /** Serves a request; undefined for paths of the site. */
  readonly handle: Handler;
  /** The accounts that can change content. */
  readonly members: Members;
  /** Sentences about options that do not fit the content. */
  warnings(): readonly string[];
  /** Says at a start what people have to do. `address` is that of the site, with its base. Never throws. */
  announce(address: string, log: RuntimeLog): Promise<void>;
  /** The account of a session, or the local author, for the site's own pages. Ignores credentials in headers. */
  visitor(request: Request, context: ClientContext): Promise<Actor>;
  /** Sets the cache of Astro's routes. Changes of the content remove pages with their tags. */
  useRouteCache(cache: RouteCache): void;
  /**
   * Reads the content again with another schema: the default export of a schema module, or undefined. Services stay the
   * same. Rejects without a change if the schema is invalid.
   */
  useSchema(schema: unknown): Promise<void>;
  /** Resolves when the cache contains all files of the start. */
  saved(): Promise<void>;
  /** Stops watching and commits pending changes. */
  close(): Promise<void>;
}

/** The part of a runtime that routes and pages use. */
export type ServedRuntime = Pick<Runtime, 'handle' | 'content' | 'visitor' | 'useRouteCache'>;

/** Receives messages of one line. */
export interface RuntimeLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
