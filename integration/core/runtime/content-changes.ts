import { isDeepStrictEqual } from 'node:util';
import { ANONYMOUS } from '../access/actor.ts';
import { isPublishedAt } from '../access/schedule.ts';
import type { ContentChange, ContentTarget } from '../content/collect.ts';
import { type Entity, languageOf } from '../content/model.ts';
import type { IndexedStore } from '../engine/store/entity-store.ts';
import { translatedBase } from '../read/language-paths.ts';
import type { Reader } from '../read/reader.ts';
import { sitePath } from '../read/site-path.ts';

/** One entity in one language, before and after some changes. */
export interface EntityChange {
  readonly type: string;
  readonly id: string;
  readonly langcode: string;
  /** Undefined if anonymous visitors do not see it at that time. */
  readonly before: VisiblePage | undefined;
  readonly after: VisiblePage | undefined;
  /** False if its file and its references stayed the same. */
  readonly isEdited: boolean;
}

export interface VisiblePage {
  /** The path of its page with base and language, percent-encoded. */
  readonly path: string;
}

export interface ContentChanges {
  /** Passes changes on to the store, and reports them. */
  readonly target: ContentTarget;
  /**
   * Reports changes from now on, including those that the clock makes. While `isHeard` returns false, changes are not
   * computed. Returns a function that ends this.
   */
  follow(
    reader: Reader,
    report: (changes: readonly EntityChange[]) => void,
    isHeard?: () => boolean,
  ): () => void;
}

/** Longest delay of a timer of the system, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Observes every change of the content, wherever it comes from. */
export function observeChanges(store: IndexedStore, target: ContentTarget): ContentChanges {
  let observer: ((change: ContentChange, apply: () => void) => void) | undefined;

  return {
    target: {
      load: target.load,
      apply(change) {
        const apply = () => target.apply(change);
        if (observer === undefined) apply();
        else observer(change, apply);
      },
    },
    follow(reader, report, isHeard = () => true) {
      const { clock } = reader;
      let checkedAt = clock.now();
      let dueAt = Number.POSITIVE_INFINITY;
      let timer: NodeJS.Timeout | undefined;

      observer = (change, apply) => {
        if (clock.now() >= dueAt) reportSchedule();
        checkedAt = clock.now();
        if (!isHeard()) {
          apply();
          schedule();
          return;
        }
        const former = formerEntities(store, change).map(
          (entity) => [entity, pageOf(reader, entity)] as const,
        );
        apply();
        const pages = new Map(former.map(([entity, page]) => [keyOf(entity), { entity, page }]));
        const current = [...change.put, ...change.types.flatMap(({ entities }) => entities)];
        const currentKeys = new Set(current.map(keyOf));
        const removed = former.filter(([entity]) => !currentKeys.has(keyOf(entity)));
        const changes = [
          ...removed.map(([entity, before]) => entityChange(entity, before, undefined)),
          ...current.flatMap((entity) => {
            const old = pages.get(keyOf(entity));
            const isSameFile = old?.entity.revision === entity.revision;
            if (old !== undefined && isSameFile && isDeepStrictEqual(old.entity, entity)) return [];
            const isEdited = old === undefined || isEditOf(old.entity, entity);
            return [entityChange(entity, old?.page, pageOf(reader, entity), isEdited)];
          }),
        ];
        if (changes.length > 0) report(changes);
        schedule();
      };

      function schedule(): void {
        clearTimeout(timer);
        dueAt = clock.nextScheduledChange();
        if (dueAt === Number.POSITIVE_INFINITY) return;
        timer = setTimeout(reportSchedule, Math.min(Math.max(dueAt - clock.now(), 0) + 1, MAX_DELAY)).unref();
      }

      function reportSchedule(): void {
        const now = clock.now();
        const changes: EntityChange[] = [];
        for (const { name } of isHeard() ? store.types.values() : []) {
          for (const entity of store.entities(name)) {
            const wasPublished = isPublishedAt(entity, checkedAt);
            if (entity.schedule === undefined || wasPublished === isPublishedAt(entity, now)) continue;
            const { schedule: _, ...unscheduled } = entity;
            const page = pageOf(reader, unscheduled);
            if (page === undefined) continue;
            changes.push(
              wasPublished ? entityChange(entity, page, undefined) : entityChange(entity, undefined, page),
            );
          }
        }
        checkedAt = now;
        if (changes.length > 0) report(changes);
        schedule();
      }

      schedule();
      return () => {
        observer = undefined;
        clearTimeout(timer);
      };
    },
  };
}

/** The net change of several changes of an entity. */
export function mergeChanges(first: EntityChange, second: EntityChange): EntityChange {
  return { ...second, before: first.before, isEdited: first.isEdited || second.isEdited };
}

/** The rows that a change replaces or removes. */
function formerEntities(store: IndexedStore, change: ContentChange): readonly Entity[] {
  const { removedTypes, removed, types, put } = change;
  const all = [...removedTypes, ...types.map(({ type }) => type.name)];
  return [
    ...all.flatMap((type) => (store.types.has(type) ? [...store.entities(type)] : [])),
    ...[...removed, ...put].flatMap(({ type, id, translation }) => store.get(type, id, translation) ?? []),
  ];
}

function entityChange(
  entity: Entity,
  before: VisiblePage | undefined,
  after: VisiblePage | undefined,
  isEdited = true,
): EntityChange {
  return { type: entity.type, id: entity.id, langcode: languageOf(entity), before, after, isEdited };
}

function pageOf({ access, store, settings }: Reader, entity: Entity): VisiblePage | undefined {
  const type = store.types.get(entity.type);
  if (type === undefined || !access(ANONYMOUS).allows('view', entity)) return undefined;
  return { path: translatedBase(settings, languageOf(entity)) + sitePath(type, entity) };
}

/** False if only dates of commits differ, or another file gave the bundle a field that this entity does not have. */
function isEditOf(former: Entity, entity: Entity): boolean {
  return (
    former.revision !== entity.revision || !isDeepStrictEqual(writtenValues(former), writtenValues(entity))
  );
}

function writtenValues({ values: { created: _, changed: __, ...values } }: Entity): object {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

function keyOf({ type, id, translation = '' }: Pick<Entity, 'type' | 'id' | 'translation'>): string {
  return JSON.stringify([type, id, translation]);
}
