import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { ScheduleClock } from '../access/schedule.ts';
import type { Diagnostic } from '../entities/diagnostic.ts';
import type { Entity } from '../entities/model.ts';
import type { PastContent } from '../entities/past-content.ts';
import type { QueryEngine } from '../query/engine.ts';
import type { Limits } from '../query/limits.ts';
import type { FileSource } from '../storage/file-source.ts';
import type { EntityStore } from '../store/store.ts';
import type { Commits } from '../write/commits.ts';
import type { ContentWriter } from '../write/writer.ts';
import type { CacheBudget } from './cache-budget.ts';
import type { Fragments } from './fragment.ts';
import type { LargeAnswers } from './production.ts';

/** What the API surfaces need to know of the options and of the site. */
export interface ApiSettings {
  /** Astro's `base`: starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  readonly trailingSlash: 'always' | 'never' | 'ignore';
  /** Default and greatest page size. */
  readonly maxPageSize: number;
  /** Whether `page[limit]=0` (and `limit=0`) answers everything; else it is a 400. */
  readonly allowUnlimitedPage: boolean;
  /** What one request may ask for. */
  readonly limits: Limits;
  /** Plural of a bundle name where the English rule is not wanted. */
  readonly plurals: Readonly<Record<string, string>>;
  /** Queries to prebuild: `/node/article?filter…` by name. */
  readonly staticQueries: Readonly<Record<string, string>>;
  /** Seconds that an answer to anonymous may be kept without asking again; 0 for none. */
  readonly maxAge: number;
  /** Whether answers tell how long their parts took. */
  readonly serverTiming: boolean;
  /** Whether the query explorer and its endpoints are on. */
  readonly explorer: boolean;
  /** Path of the health route below `base`, such as `/healthz`; false for none. */
  readonly health: string | false;
  /** Whether somebody may be signed in. */
  readonly signIn?: boolean;
  /** False where full-text search is off. */
  readonly fulltext?: boolean;
  /** What the site's own package calls itself; descriptions of the API say it. */
  readonly site?: SiteIdentity;
}

export interface SiteIdentity {
  readonly name: string;
  readonly version: string;
}

/** Everything a surface needs; made once in `runtime.ts`. */
export interface Services {
  readonly store: EntityStore;
  readonly engine: QueryEngine;
  access(actor: Actor): Access;
  /** The body as HTML by the site's markdown settings; cached by digest. Empty for an entity without a body. */
  renderBody(entity: Entity): Promise<string>;
  /** The files of the content folder. */
  readonly files: Pick<FileSource, 'read' | 'open'>;
  readonly settings: ApiSettings;
  /** Resources as they are written in documents. */
  readonly fragments: Fragments;
  /** Memory for what is written already. */
  readonly cache: CacheBudget;
  /** Answers too large to be held in memory. */
  readonly largeAnswers: LargeAnswers;
  readonly clock: ScheduleClock;
  /** Changes content; null where it is only read. */
  readonly writer: ContentWriter | null;
  /** What entities were; null where nobody keeps it. */
  readonly past: PastContent | null;
  /** Given where changes are committed. */
  readonly commits?: Commits | undefined;
  diagnostics(): readonly Diagnostic[];
}
