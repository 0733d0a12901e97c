import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { ScheduleClock } from '../access/schedule.ts';
import type { GoneEntities } from '../content/ledger.ts';
import type { Entity } from '../content/model.ts';
import type { PastContent } from '../content/past-content.ts';
import type { QueryEngine } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import type { FileSource } from '../storage/file-source.ts';
import type { CacheBudget } from './cache-budget.ts';
import type { LinkBuilder } from './links.ts';
import type { LargeAnswers, Production } from './production.ts';
import type { ApiSettings } from './settings.ts';
import type { FieldSelection } from './sparse-fields.ts';

/** How every surface reads the content; made once in `runtime.ts`. */
export interface Reader {
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
  /** What entities were; null where nobody keeps it. */
  readonly past: PastContent | null;
  readonly gone: GoneEntities;
  diagnostics(): readonly Diagnostic[];
}

export interface ResourceWriter {
  write(entity: Entity): WrittenPart | Promise<WrittenPart>;
  /** As `write`, for a document that is too large to be cached. */
  writeOnce(entity: Entity): WrittenPart | Promise<WrittenPart>;
  /** Tag and size of what `write` gives, without writing it. */
  weigh(entity: Entity): Weight | Promise<Weight>;
}

/** A part of a document. */
export interface WrittenPart {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array;
  /** A digest that differs when the same address has other bytes. */
  readonly tag: string;
}

/** Tag and size of a part that is not written yet. */
export interface Weight {
  readonly tag: string;
  /** What counts for `limits.answerBytes`. */
  readonly size: number;
}

/** A resource object that is written already. */
export interface Fragment extends WrittenPart {
  readonly type: string;
  readonly id: string;
  /** `meta.revision`: the tag of what the actor may see of the entity, whatever was asked for of it. */
  readonly revision: string;
}

/** Fragments of one answer. An entity is written once, however many answers contain it. */
export interface FragmentWriter extends ResourceWriter {
  write(entity: Entity): Fragment | Promise<Fragment>;
  /** Its size is that of the answered fields as JSON, of the body once more for its HTML, and MEMBER_BYTES. */
  weigh(entity: Entity): Weight;
}

/** Fragments of all answers. */
export interface Fragments {
  /** `select` says which fields of each type are answered. */
  writer(context: DocumentContext, select: FieldSelection): FragmentWriter;
  /** `meta.revision` of an entity, which no fragment has to be written for. */
  revision(context: Pick<DocumentContext, 'services' | 'access'>, entity: Entity): string;
}

/** One answer's surroundings: whose eyes it is for and where its links lead. */
export interface DocumentContext {
  readonly services: Reader;
  readonly access: Access;
  readonly links: LinkBuilder;
  /** Whom the entry point tells that they are signed in; nobody when absent. */
  readonly actor?: Actor;
  /** Where the entity that was asked for is answered as it was. What it includes is as it is now. */
  readonly past?: { readonly present: Entity; readonly own: Pick<DocumentContext, 'services' | 'links'> };
  /** The slices in which a large answer is made. Without it, an answer is made in one go. */
  readonly work?: Production;
}
