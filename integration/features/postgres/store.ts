import { sql } from 'kysely';
import { scheduledPaths } from '../../core/access/schedule.ts';
import { isRelationship } from '../../core/content/file-resource.ts';
import type { Entity, Reference, ResourceType } from '../../core/content/model.ts';
import type { IndexedStore } from '../../core/engine/store/entity-store.ts';
import { binarySearch } from '../../core/engine/store/ordering.ts';
import {
  PUBLISHED_FROM_PATH,
  PUBLISHED_PATH,
  PUBLISHED_UNTIL_PATH,
  referenceKey,
  splitReferenceKey,
} from '../../core/engine/store/slot.ts';
import { referencesIn } from '../../core/read/serialize.ts';
import { NotLoadedError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { and, type Database, rowsOf } from './database.ts';
import { createLayout, type TypeLayout } from './layout.ts';
import { encodeTypes, type LastChange, type Meta, readMeta } from './meta.ts';
import { fromStored, toStored } from './text.ts';

/** What readers ask synchronously, about one state of the tables. */
export interface PostgresStore {
  /**
   * Its version counts the states that this process has seen, so it never repeats. It has no entities: `get` only says if a source exists and is published, and throws
   * NotLoadedError if this is not known yet.
   */
  readonly store: IndexedStore;
  /** What the content was made from. */
  readonly revision: string;
  /** The state of the tables. */
  readonly stamp: string;
  /** Reads the present state, unless it is that of the store. */
  refresh(stamp?: string): Promise<void>;
  /** Runs a query that returns the state that it has read, as often as it takes to read that of the store. */
  atState<T extends { readonly stamp: string }>(query: (store: IndexedStore) => Promise<T>): Promise<T>;
  /** Loads whether the targets of the references of these entities exist. */
  prepare(entities: readonly Entity[]): Promise<void>;
  /** Loads what a NotLoadedError names. */
  load(names: readonly string[]): Promise<void>;
}

export interface PostgresStoreDeps {
  readonly db: Database;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Called after the state has changed; without the changes if they are many or not known. */
  readonly onChange?: (changed: LastChange['changed']) => void;
}

/** The store of the newest state. */
export async function openPostgresStore({ db, now, onChange }: PostgresStoreDeps): Promise<PostgresStore> {
  let view = await readView(db, now(), undefined);
  let reading: Promise<void> | undefined;

  /** One at a time. A later call gets the newest state. */
  async function refresh(stamp?: string): Promise<void> {
    while (reading !== undefined) await reading.catch(() => undefined);
    if (stamp === view.stamp) return;
    reading = readView(db, now(), view).then((next) => {
      const before = view;
      view = next;
      if (next === before) return;
      onChange?.(next.lastChange.from === before.stamp ? next.lastChange.changed : undefined);
    });
    try {
      await reading;
    } finally {
      reading = undefined;
    }
  }

  async function atState<T extends { readonly stamp: string }>(query: () => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { stamp } = view;
      try {
        const result = await query();
        if (result.stamp === stamp && view.stamp === stamp) return result;
        await refresh(result.stamp);
      } catch (error) {
        // The requested rows may have been removed.
        await refresh();
        if (view.stamp === stamp) throw error;
      }
    }
    throw new ServiceUnavailableError('The content changes too often. Try again later.', RETRY_SECONDS);
  }

  async function loadTargets(targets: readonly Reference[]): Promise<void> {
    await atState(() => loadTargetsOnce(targets));
  }

  async function loadTargetsOnce(targets: readonly Reference[]): Promise<{ readonly stamp: string }> {
    const { existing, layouts, stamp } = view;
    const missing = new Map<string, Set<string>>();
    for (const target of targets) {
      const { type, id } = target;
      if (existing.get(referenceKey(target))) continue;
      const ids = missing.get(type) ?? new Set();
      missing.set(type, ids.add(id));
    }
    if (missing.size === 0) return { stamp };
    const parts = [...missing].flatMap(([type, ids]) => {
      const layout = layouts.get(type);
      if (layout === undefined) return [];
      const stored = [...ids].map(toStored);
      return [
        sql`select ${type}::text as type, id, ${sql.id(layout.columns.get(PUBLISHED_PATH)!.key)} = 1 as published from ${sql.table(layout.table)} where translation is null and id = any(${stored}::text[])`,
      ];
    });
    const targetRows =
      parts.length === 0
        ? sql`null::json`
        : sql`(select json_agg(json_build_array(type, id, published)) from (${sql.join(parts, sql` union all `)}) t)`;
    const [row] = await rowsOf(
      db,
      sql<FoundTargets>`select stamp, ${targetRows} as found from ${sql.table('meta')}`,
    );
    if (row!.stamp !== stamp) return row!;
    const found = new Map(
      row!.found?.map(([type, stored, published]) => {
        const entity = placeholder(type, fromStored(stored), published);
        return [referenceKey(entity), entity];
      }),
    );
    for (const [type, ids] of missing) {
      for (const id of ids) {
        const key = referenceKey({ type, id });
        existing.set(key, found.get(key) ?? null);
      }
    }
    return row!;
  }

  const notInMemory = (): never => {
    throw new Error('The entities are in PostgreSQL.');
  };
  const store: IndexedStore = {
    get version() {
      return view.version;
    },
    get locale() {
      return view.locale;
    },
    get types() {
      return view.types;
    },
    get(type, id, translation) {
      if (translation !== undefined) return undefined;
      if (!view.types.has(type)) return undefined;
      const target = view.existing.get(referenceKey({ type, id }));
      if (target === undefined) throw new NotLoadedError([referenceKey({ type, id })]);
      return target ?? undefined;
    },
    translations: notInMemory,
    entities: notInMemory,
    table: () => undefined,
    nextScheduledChange(type, after) {
      const instants = view.scheduled.get(type) ?? NO_INSTANTS;
      const at = binarySearch(instants.length, (index) => instants[index]! <= after);
      return instants[at] ?? Number.POSITIVE_INFINITY;
    },
  };

  return {
    store,
    get revision() {
      return view.revision;
    },
    get stamp() {
      return view.stamp;
    },
    refresh,
    atState: (query) => atState(() => query(store)),
    async prepare(entities) {
      const targets = entities.flatMap(({ type, values }) => {
        const fields = [...(view.types.get(type)?.fields.values() ?? [])];
        return fields.flatMap((field) =>
          isRelationship(field) ? referencesIn(values[field.name], field) : [],
        );
      });
      await loadTargets(targets);
    },
    load: (names) => loadTargets(names.map(splitReferenceKey)),
  };
}

interface FoundTargets {
  readonly stamp: string;
  readonly found: readonly (readonly [type: string, id: string, published: boolean])[] | null;
}

interface View extends Pick<Meta, 'stamp' | 'lastChange'> {
  /** Counts views. */
  readonly version: number;
  readonly revision: string;
  readonly locale: string;
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Equal for equal types. */
  readonly encodedTypes: string;
  readonly layouts: ReadonlyMap<string, TypeLayout>;
  /** The times at which visibility changes, by type: milliseconds since the Unix epoch, ascending. */
  readonly scheduled: ReadonlyMap<string, Float64Array>;
  /** The targets of references, as far as responses needed them lately; null for one that does not exist. */
  readonly existing: LruMap<string, Entity | null>;
}

async function readView(database: Database, now: number, before: View | undefined): Promise<View> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (db) => {
      const meta = await readMeta(db);
      if (meta.stamp === before?.stamp) return before;
      const encodedTypes = encodeTypes(
        meta.types.map(({ type }) => ({
          name: type.name,
          type,
          signature: '',
          suffix: '',
          hasTranslations: false,
        })),
      );
      // Caches belong to the types, which rarely change.
      const isSame = before?.encodedTypes === encodedTypes;
      const types = isSame ? before.types : new Map(meta.types.map(({ name, type }) => [name, type]));
      const layouts = new Map(meta.types.map(({ name, type, suffix }) => [name, createLayout(type, suffix)]));
      const scheduled = new Map<string, Float64Array>();
      for (const [name, layout] of layouts) {
        const paths = scheduledPaths(layout.type);
        if (paths.length > 0) scheduled.set(name, await readInstants(db, layout, now));
      }
      const { stamp, lastChange, revision, locale } = meta;
      return {
        version: (before?.version ?? 0) + 1,
        stamp,
        lastChange,
        revision,
        locale,
        types,
        encodedTypes,
        layouts,
        scheduled,
        existing: new LruMap(MAX_TARGETS),
      };
    });
}

/** The instants at which the clock publishes or unpublishes an entity, the past ones of a day included. */
async function readInstants(
  db: Database,
  { table, columns }: TypeLayout,
  now: number,
): Promise<Float64Array> {
  const column = (path: string) => sql.id(columns.get(path)!.key);
  const from = column(PUBLISHED_FROM_PATH);
  const until = column(PUBLISHED_UNTIL_PATH);
  const shown = and([
    sql`${column(PUBLISHED_PATH)} = 1`,
    sql`coalesce(${from}, '-infinity') < coalesce(${until}, 'infinity')`,
  ]);
  const rows = await rowsOf(
    db,
    sql<{
      at: number;
    }>`select ${from} as at from ${sql.table(table)} where ${shown} and ${from} > ${now - DAY}::double precision
      union select ${until} from ${sql.table(table)} where ${shown} and ${until} > ${now - DAY}::double precision order by 1`,
  );
  return Float64Array.from(rows, ({ at }) => at);
}

const MAX_ATTEMPTS = 5;
const RETRY_SECONDS = 1;
/** More than the references of a response. */
const MAX_TARGETS = 100_000;
const DAY = 86_400_000;
const NO_INSTANTS = new Float64Array();

function placeholder(type: string, id: string, published: boolean): Entity {
  return { type, id, key: '', revision: '', values: {}, published, body: null };
}
