import { sql } from 'kysely';
import type { ResourceType } from '../../core/content/model.ts';
import type { FilterNode } from '../../core/engine/ast.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { POLICY_LIMITS } from '../../core/engine/limits.ts';
import { createResolveContext } from '../../core/engine/resolve/bind-path.ts';
import {
  type ResolvedNode,
  resolveFilter,
  type SearchNode,
} from '../../core/engine/resolve/resolve-filter.ts';
import type { Vocabulary } from '../../core/engine/text/vocabulary.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { type Database, keyOf, rowsOf, type Sql } from './database.ts';
import { createLayout, type TypeLayout } from './layout.ts';
import { type Meta, readMeta } from './meta.ts';
import { NO_ROWS, type RowsParameter } from './rows-parameter.ts';
import { findRows, MAX_SEARCH_BYTES, type SearchedState } from './searched-rows.ts';
import { readVocabulary, type Vocabularies } from './vocabularies.ts';

/** Facts about one state of the tables. */
export interface State extends SearchedState, Pick<Meta, 'version' | 'stamp'> {
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly layouts: ReadonlyMap<string, TypeLayout>;
  /** Types with translations. */
  readonly translated: ReadonlySet<string>;
  /** Exact counts by their SQL. */
  readonly counts: LruMap<string, number>;
  /** How many rows a table has, roughly; 0 if this is not known. */
  rowsOf(layout: TypeLayout): number;
  /** By the SQL of the count of a list and its order. */
  readonly lists: LruMap<string, ListFacts>;
  policy(type: ResourceType, access: QueryAccess): ResolvedNode | null;
}

/** A row of a list: pages far from the beginning are read from the nearest one. */
export interface Bookmark {
  /** The position. */
  readonly at: number;
  /** The sort keys as text, and the id. */
  readonly keys: readonly (string | null)[];
}

/** What pages of a list have found out. */
export interface ListFacts {
  /** Ascending. */
  bookmarks: readonly Bookmark[];
  /** True if matches are rare among the first rows, so that reading rows in the order of the list takes long. */
  isUneven: boolean;
}

/** `vocabulariesOf` returns the known terms of a version of the tables. */
export async function readState(
  db: Database,
  vocabulariesOf: (version: number) => Vocabularies = () => new Map(),
): Promise<State> {
  const meta = await readMeta(db);
  const vocabularies = vocabulariesOf(meta.version);
  const types = new Map(meta.types.map(({ name, type }) => [name, type]));
  const layouts = new Map(meta.types.map(({ name, type, suffix }) => [name, createLayout(type, suffix)]));
  const translated = new Set(meta.types.filter((type) => type.hasTranslations).map(({ name }) => name));
  const sizes = await readSizes(db);
  const policies = new WeakMap<FilterNode, Map<string, ResolvedNode>>();
  const numbers = new LruMap<string, Selected>(MAX_NUMBERS);
  /** By type, if they have all terms of this state. */
  const current = new Map<string, Promise<Vocabulary>>();

  function policy(type: ResourceType, access: QueryAccess): ResolvedNode | null {
    const filter = access.visibility(type);
    if (filter === null) return null;
    const ofTypes = policies.get(filter) ?? new Map<string, ResolvedNode>();
    policies.set(filter, ofTypes);
    const resolved =
      ofTypes.get(type.name) ?? resolveFilter(type, filter, createResolveContext(types, null, POLICY_LIMITS));
    ofTypes.set(type.name, resolved);
    return resolved;
  }

  async function select(db: Database, statement: Sql): Promise<Selected> {
    const rows = await rowsOf(db, sql<{ no: number }>`${statement} limit ${sql.lit(MAX_TARGETS + 1)}`);
    return { numbers: rows.length > MAX_TARGETS ? null : rows.map(({ no }) => no) };
  }

  const state: State = {
    version: meta.version,
    stamp: meta.stamp,
    types,
    layouts,
    translated,
    counts: new LruMap(MAX_CACHED),
    rowsOf: ({ table }) => sizes.get(table) ?? 0,
    lists: new LruMap(MAX_CACHED),
    searches: new LruMap(MAX_SEARCH_BYTES),
    vocabulary(db, layout) {
      const known = current.get(layout.termTable);
      if (known !== undefined) return known;
      const reading = readVocabulary(db, layout, vocabularies);
      current.set(layout.termTable, reading);
      reading.catch(() => current.delete(layout.termTable));
      return reading;
    },
    policy,
    async compile(db, access, terms, run) {
      // Of this statement, because the cache drops some.
      const selected = new Map<string, Selected>();
      const searched = new Map<SearchNode, RowsParameter>();
      for (;;) {
        let unselected: readonly [key: string, statement: Sql] | undefined;
        let unfound: readonly [search: SearchNode, layout: TypeLayout] | undefined;
        let aliases = 0;
        const result = run({
          layout: (type) => layouts.get(type),
          access,
          policy: ({ type }) => policy(type, access),
          hasTranslations: ({ type }) => translated.has(type.name),
          numbers(statement) {
            // Another statement can depend on this one.
            if (unselected !== undefined) return [];
            const key = keyOf(statement, db);
            const found = selected.get(key) ?? numbers.get(key);
            if (found === undefined) {
              unselected = [key, statement];
              return [];
            }
            selected.set(key, found);
            return found.numbers;
          },
          found(search, layout) {
            const rows = searched.get(search);
            if (rows === undefined) unfound = [search, layout];
            return rows ?? NO_ROWS;
          },
          alias: () => `t${aliases++}`,
        });
        if (unfound !== undefined && terms !== null) {
          const [search, layout] = unfound;
          const { parameter } = await findRows(search, layout, access, state, db, terms);
          searched.set(search, parameter);
          continue;
        }
        if (unselected === undefined) return result;
        const [key, statement] = unselected;
        const found = await select(db, statement);
        selected.set(key, found);
        numbers.set(key, found, 1 + (found.numbers?.length ?? 0));
      }
    },
  };
  return state;
}

interface Selected {
  /** Null if they are many. */
  readonly numbers: readonly number[] | null;
}

async function readSizes(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await rowsOf(
    db,
    sql<{
      name: string;
      size: number;
    }>`select relname as name, reltuples::double precision as size from pg_class where relkind = 'r' and relnamespace =
      (select relnamespace from pg_class where oid = (select tableoid from ${sql.table('meta')}))`,
  );
  return new Map(rows.map(({ name, size }) => [name, size]));
}

const MAX_CACHED = 1000;
/** Numbers of one join, and of all. */
const MAX_TARGETS = 1000;
const MAX_NUMBERS = 100_000;
