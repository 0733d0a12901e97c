import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Policy } from '../access/policy.ts';
import type { ScheduleClock } from '../access/schedule.ts';
import type { GoneEntities } from '../content/ledger.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import type { PastContent } from '../content/past-content.ts';
import type { QueryAccess, QueryEngine } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { SiteTerms } from '../engine/text/words.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import type { FileSource } from '../storage/file-source.ts';
import type { CacheBudget } from './cache-budget.ts';
import type { ResourceObject, SearchMeta } from './document-types.ts';
import type { LinkBuilder } from './links.ts';
import type { ResponseWork } from './response-limiter.ts';
import type { ApiSettings } from './settings.ts';
import type { FieldSelection } from './sparse-fields.ts';

/** The content as every surface reads it. Created once by the runtime. */
export interface Reader {
  readonly store: EntityStore;
  readonly engine: QueryEngine;
  readonly access: Policy;
  /** Renders the body with the site's Markdown settings. Cached. Empty for an entity without a body. */
  renderBody(entity: Entity): Promise<string>;
  /** Loads the bodies that a document will contain, in a store that loads bodies when they are needed. */
  loadBodies?(entities: readonly Entity[]): Promise<void>;
  /** The files of the content folder. */
  readonly files: Pick<FileSource, 'facts' | 'read' | 'open' | 'stat'>;
  /** Finds the entities that refer to a file, in a store that does not have them. */
  findReferrers?(uri: string): Promise<FoundReferrers>;
  readonly settings: ApiSettings;
  readonly fragments: Fragments;
  /** Memory for responses and fragments. */
  readonly cache: CacheBudget;
  readonly clock: ScheduleClock;
  /** Past versions; null without git. */
  readonly past: PastContent | null;
  readonly gone: GoneEntities;
  diagnostics(): readonly Diagnostic[];
  /** Present where documents are written. */
  readonly features?: Loaders | undefined;
  readonly findRedirect?: FindRedirect | undefined;
  readonly findDraft?: FindDraft | undefined;
  /** Loads the stemmers. Null if full-text search is off. */
  readonly searchTerms: (() => Promise<SiteTerms>) | null;
}

/** What features load when documents need it. */
export interface Loaders {
  readonly fileLinks?: (() => Promise<FileLinks>) | undefined;
  readonly describeMatches?: (() => Promise<DescribeMatches | undefined>) | undefined;
}

/** Says what a tolerant search has found in entities. It depends on nothing but the words and the visible text. */
export type DescribeMatches = (
  context: MatchContext,
  words: string,
  entities: readonly Entity[],
) => Promise<SearchMeta>;

/** Who sees the matches. */
export type MatchContext = Pick<DocumentContext, 'services' | 'work'> & { readonly access: QueryAccess };

/** The path of the site, or the URL, to which an old path leads; undefined if it leads to nothing that the actor may see. */
export type FindRedirect = (context: PathContext, path: string) => Promise<string | undefined>;

/** The draft of an entry, or of a new one, that the actor may read; undefined without any. */
export type FindDraft = (
  context: PathContext,
  entry: Pick<Entity, 'type' | 'id'> & { readonly translation?: string | undefined },
) => Promise<FoundDraft | undefined>;

export interface FoundDraft {
  /** Undefined if the file cannot be read. */
  readonly entity: Entity | undefined;
  /** True for unfinished changes of an entry that is stored. */
  readonly changesEntry: boolean;
  readonly mayChange: boolean;
}

export type PathContext = Pick<DocumentContext, 'services' | 'access'> & { readonly actor: Actor };

/** Returns links of the resource of a file, by name. */
export type FileLinks = (settings: ApiSettings, links: LinkBuilder, file: Entity) => ResourceObject['links'];

/** A field of an entity that refers to a file. */
export interface Referrer {
  readonly type: ResourceType;
  readonly field: string;
  readonly id: string;
  readonly translation: string | undefined;
}

/** The referrers of a file, and of another one to check if it is unused. */
export interface FoundReferrers {
  readonly own: readonly Referrer[];
  readonly other: readonly Referrer[];
}

export interface ResourceWriter {
  /** Loads what the entities of a document need. */
  prepare?(entities: readonly Entity[]): Promise<void> | undefined;
  write(entity: Entity): WrittenPart | Promise<WrittenPart>;
  /** The same without caching, for a large document. */
  writeOnce(entity: Entity): WrittenPart | Promise<WrittenPart>;
  /** The tag and the size of the result of `write`. */
  weigh(entity: Entity): Weight | Promise<Weight>;
}

/** A part of a document. */
export interface WrittenPart {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array;
  /** A digest that differs when the same URL has other bytes. */
  readonly tag: string;
}

export interface Weight {
  readonly tag: string;
  /** An estimate of its bytes, for `limits.answerBytes`. */
  readonly size: number;
}

/** A resource object as JSON. */
export interface Fragment extends WrittenPart {
  readonly type: string;
  readonly id: string;
  /** `meta.revision`: the tag of all visible fields, whichever the response has. */
  readonly revision: string;
  /** The entities in `meta.translations`. */
  readonly translations: readonly Entity[];
}

/** Writes the fragments of one response. They are cached for other responses. */
export interface FragmentWriter extends ResourceWriter {
  write(entity: Entity): Fragment | Promise<Fragment>;
}

/** Resources as JSON. */
export interface Fragments {
  /** `select` returns the fields of a type in the response. */
  writer(context: DocumentContext, select: FieldSelection): FragmentWriter;
  /** `meta.revision` of an entity: the `ETag` of its plain GET for this actor. */
  revision(context: Pick<DocumentContext, 'services' | 'access'>, entity: Entity): string;
}

/** The actor and the links of one response. */
export interface DocumentContext {
  readonly services: Reader;
  readonly access: Access;
  readonly links: LinkBuilder;
  /** Present if the entry point has a link to the signed-in user. */
  readonly actor?: Actor;
  /** Present for a past version of the requested entity. Included entities are the present ones. */
  readonly past?: { readonly present: Entity; readonly own: Pick<DocumentContext, 'services' | 'links'> };
  /** The slices of a large response. Without it, the response is made in one go. */
  readonly work?: ResponseWork;
}
