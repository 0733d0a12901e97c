import { type RawBuilder, sql } from 'kysely';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { boostKey, boostScores } from '../../core/engine/field-boost.ts';
import { rankedPage } from '../../core/engine/plan/ranked-page.ts';
import { type ResolvedNode, rankedNodes, type SearchNode } from '../../core/engine/resolve/resolve-filter.ts';
import { Bitmap, bitCount } from '../../core/engine/store/bitmap.ts';
import { intersect, listRows, type RowSet, rowsOfBitmap } from '../../core/engine/store/row-set.ts';
import { addRarity, addScores, matchingRows, type Occurrences } from '../../core/engine/text/score.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import {
  exactTerms,
  type TermsOf,
  tolerantTerms,
  type Vocabulary,
} from '../../core/engine/text/vocabulary.ts';
import type { FieldBoost, SearchWords, SiteTerms } from '../../core/engine/text/words.ts';
import { createTimeSlices, onceInSlices } from '../../core/engine/time-slices.ts';
import type { LruMap } from '../../core/util/lru-map.ts';
import {
  type CompileContext,
  column,
  compileSortKey,
  compileVisible,
  from,
  keyStorage,
  type Row,
  ref,
  table,
} from './compile.ts';
import { type Database, keyOf, rowsOf, type Sql } from './database.ts';
import { lengthColumn, type TypeLayout } from './layout.ts';
import { BLOCK_ROWS, blockOf, eachPosting, offsetOf, type StoredPostings } from './postings.ts';
import { wordKey } from './record.ts';
import { RowsParameter } from './rows-parameter.ts';

/** What searches need of a state of the tables. */
export interface SearchedState {
  /** What they have read. */
  readonly searches: LruMap<string, Promise<unknown>>;
  vocabulary(db: Database, layout: TypeLayout): Promise<Vocabulary>;
  /** Compiles as often as it takes to find the targets of joins and the rows of searches. */
  compile<T>(
    db: Database,
    access: QueryAccess,
    terms: SiteTerms | null,
    run: (context: CompileContext) => T,
  ): Promise<T>;
}

/** The rows of a type that an actor may see. Here they are numbered in the order of their ids. */
interface VisibleRows {
  /** The SQL that selects them, and its parameters. */
  readonly key: string;
  /** The numbers in the tables. */
  readonly rows: Float64Array;
  /** The number of words in each searchable field. */
  readonly lengths: readonly Int32Array[];
  readonly blocks: ReadonlyMap<number, VisibleBlock>;
  /** All of them. The same object, because averages are stored for it. */
  readonly all: RowSet;
}

/** Which rows of a block are visible. */
interface VisibleBlock {
  readonly bits: Int32Array;
  /** The number of visible rows before each group of 32 rows. */
  readonly before: Int32Array;
  readonly places: Int32Array;
}

/** What a search finds among the visible rows. */
export interface Found {
  readonly visible: VisibleRows;
  readonly rows: RowSet;
  readonly occurrences: Occurrences;
  readonly parameter: RowsParameter;
}

/** The rows with the words of a search. For a phrase, those that can have it. */
export async function findRows(
  { words, fields }: SearchNode,
  layout: TypeLayout,
  access: QueryAccess,
  state: SearchedState,
  db: Database,
  terms: SiteTerms,
): Promise<Found> {
  const visible = await readVisibleRows(layout, access, state, db, terms);
  const names = fields.map(({ name }) => name);
  return cached(state, JSON.stringify([visible.key, words, names]), async () => {
    const { phrase } = words;
    const searched = phrase === undefined ? words : { required: phrase.words, excluded: [] };
    const termsOf = await readTerms(searched, layout, state, db, terms);
    const { postings, bytes } = await readPostings(
      [...searched.required, ...searched.excluded],
      fields,
      layout,
      termsOf,
      db,
    );
    const occurrences = occurrencesIn(postings, termsOf, layout, visible);
    const rows = matchingRows(occurrences, searched, names, visible.all);
    const parameter = new RowsParameter(Float64Array.from(listRows(rows), (at) => visible.rows[at]!).sort());
    return {
      value: { visible, rows, occurrences, parameter },
      bytes: bytes + 8 * rows.count + visible.rows.length / 8,
    };
  });
}

async function readVisibleRows(
  layout: TypeLayout,
  access: QueryAccess,
  state: SearchedState,
  db: Database,
  terms: SiteTerms,
): Promise<VisibleRows> {
  const statement = await state.compile(db, access, terms, (context) => {
    const row: Row = { layout, alias: context.alias() };
    return compileVisibleRows(row, compileVisible(row, context, access.strict) ?? sql`true`);
  });
  const key = keyOf(statement, db);
  return cached(state, key, async () => {
    const [record] = await rowsOf(db, statement);
    return { value: { key, ...decodeVisibleRows(record!, layout) }, bytes: 2 * record!.bytes };
  });
}

/** A list in the order of scores. */
export interface RankedRows {
  readonly count: number;
  /** Of each part: the first rows, and their scores. */
  readonly parts: readonly { readonly rows: readonly number[]; readonly scores: readonly number[] }[];
}

/** The first rows of the parts of a list. `matching` selects the rows of a part that meet a condition. */
export async function rankRows(
  parts: readonly { readonly filter: ResolvedNode; readonly layout: TypeLayout }[],
  first: number,
  matching: (
    at: number,
    node: ResolvedNode,
    context: CompileContext,
  ) => { readonly source: Sql; readonly row: Sql },
  access: QueryAccess,
  state: SearchedState,
  db: Database,
  terms: SiteTerms,
): Promise<RankedRows> {
  let count = 0;
  const ranked = parts.map(async ({ filter, layout }, at) => {
    const visible = await readVisibleRows(layout, access, state, db, terms);
    const members = filter.kind === 'group' && filter.conjunction === 'AND' ? filter.members : [filter];
    const isSearch = members.every((each) => each.kind === 'search' && each.words.phrase === undefined);
    const rowsMatching = async (node: ResolvedNode): Promise<RowSet> => {
      const statement = await state.compile(db, access, terms, (context) => {
        const { source, row } = matching(at, node, context);
        return sql<{
          rows: Buffer;
        }>`select coalesce(string_agg(float8send(${row}), ''), '') as rows ${source}`;
      });
      const [record] = await rowsOf(db, statement);
      return rowsOfBitmap(Bitmap.of(visible.rows.length, placesOf(doublesOf(record!.rows), visible)));
    };
    const nodes = rankedNodes(filter);
    const boost = nodes.map((node) => node.kind === 'search' && node.boost).find(Boolean);
    const values = boost && (await readValues(boost, layout, access, state, db, terms));
    const found = await Promise.all(
      nodes.map(async (node) => {
        if (node.kind !== 'search') {
          const rows = await rowsMatching(node);
          return { rows, add: (scores: Float64Array) => addRarity(scores, rows, visible.all) };
        }
        const { words, fields } = node;
        const { rows, occurrences } = await findRows(node, layout, access, state, db, terms);
        return {
          rows,
          add: (scores: Float64Array) => addScores(scores, occurrences, words, fields, visible.all),
        };
      }),
    );
    const all = isSearch
      ? found.map(({ rows }) => rows).reduce(intersect, visible.all)
      : await rowsMatching(filter);
    count += all.count;
    const adding = found.map(({ add }) => add);
    if (boost && values) adding.push((scores) => boostScores(scores, values, boost, visible.all));
    const table = { size: visible.rows.length, idRanks: null };
    const work = slices.begin();
    const page = await work.finish(onceInSlices(rankedPage(all, adding, table, { offset: 0, limit: first })));
    return { ...page, rows: page.rows.map((place) => visible.rows[place]!) };
  });
  return { parts: await Promise.all(ranked), count };
}

/** The value of each visible row for a boost. */
async function readValues(
  boost: FieldBoost,
  layout: TypeLayout,
  access: QueryAccess,
  state: SearchedState,
  db: Database,
  terms: SiteTerms,
): Promise<Float64Array> {
  const key = boostKey(layout.type, boost)?.key ?? NO_KEY;
  const statement = await state.compile(db, access, terms, (context) => {
    const row: Row = { layout, alias: context.alias() };
    const value = compileSortKey(key, 'DESC', row, context) ?? sql`null`;
    const visible = compileVisible(row, context, access.strict) ?? sql`true`;
    return sql<{
      values: string | null;
    }>`select string_agg(coalesce(${value}::text, ''), ',' order by ${column(row, 'id')}) as values
      from ${from(row)} where ${visible}`;
  });
  const parse = keyStorage([key]) === 'exact' ? Date.parse : Number;
  return cached(state, keyOf(statement, db), async () => {
    const [record] = await rowsOf(db, statement);
    const values = record!.values?.split(',') ?? [];
    const numbers = Float64Array.from(values, (text) => (text === '' ? Number.NaN : parse(text)));
    return { value: numbers, bytes: numbers.byteLength };
  });
}

const NO_KEY = { kind: 'none' } as const;
const slices = createTimeSlices((run) => void setImmediate(run));

/** The places of rows that are still visible. */
function placesOf(rows: Float64Array, { blocks }: VisibleRows): Int32Array {
  return Int32Array.from(rows, (row) => {
    const block = blocks.get(blockOf(row));
    return block === undefined ? -1 : placeOf(block, offsetOf(row));
  }).filter((place) => place !== -1);
}

/** In memory, of one state of the tables. A search needs two entries, which fit in whatever their size. */
export const MAX_SEARCH_BYTES = 32e6;

/** The size of an array, without its items. */
const POSTINGS_BYTES = 200;

/** The result of the first call with the key, as long as there is space. */
async function cached<T>(
  { searches }: SearchedState,
  key: string,
  read: () => Promise<{ readonly value: T; readonly bytes: number }>,
): Promise<T> {
  const known = searches.get(key) as Promise<T> | undefined;
  if (known !== undefined) return known;
  const reading = read().then(({ value, bytes }) => {
    if (searches.get(key) === reading)
      searches.set(key, reading, Math.min(Math.max(bytes, 1), MAX_SEARCH_BYTES / 4));
    return value;
  });
  searches.set(key, reading);
  reading.catch(() => searches.delete(key));
  return reading;
}

async function readTerms(
  words: SearchWords,
  layout: TypeLayout,
  state: SearchedState,
  db: Database,
  terms: SiteTerms,
): Promise<TermsOf> {
  return words.isTolerant === true
    ? tolerantTerms(words, terms, await state.vocabulary(db, layout))
    : exactTerms(terms);
}

async function readPostings(
  words: readonly string[],
  fields: SearchNode['fields'],
  { type, postingTable }: TypeLayout,
  termsOf: TermsOf,
  db: Database,
) {
  const names = searchableFields(type).map(({ name }) => name);
  const keys = new Set(
    words.flatMap((word) =>
      Array.from(termsOf(word), ([term]) =>
        fields.map(({ name }) => wordKey(names.indexOf(name), term)),
      ).flat(),
    ),
  );
  const stored = await rowsOf(
    db,
    sql<{
      key: string;
      block: number;
      postings: Buffer;
    }>`select key, block, postings from ${sql.table(postingTable)}
      where key = any(${[...keys]}::text[]) order by key, block`,
  );
  const postings = new Map<string, StoredPostings[]>();
  let bytes = 0;
  for (const { key, block, postings: received } of stored) {
    // A small buffer is a part of a large one, which would stay in memory.
    const each = { block, postings: new Uint8Array(received) };
    postings.set(key, [...(postings.get(key) ?? []), each]);
    bytes += received.length + POSTINGS_BYTES;
  }
  return { postings, bytes };
}

function occurrencesIn(
  postings: ReadonlyMap<string, readonly StoredPostings[]>,
  termsOf: TermsOf,
  { type }: TypeLayout,
  { rows, lengths, blocks }: VisibleRows,
): Occurrences {
  const names = searchableFields(type).map(({ name }) => name);
  return {
    size: rows.length,
    each(word, field, visit) {
      const at = names.indexOf(field);
      for (const [term, weight] of termsOf(word)) {
        for (const stored of postings.get(wordKey(at, term)) ?? []) {
          const block = blocks.get(stored.block);
          if (block === undefined) continue;
          eachPosting(stored.postings, (offset, count) => {
            const place = placeOf(block, offset);
            if (place !== -1) visit(place, weight * count, weight);
          });
        }
      }
    },
    lengths: (field) => {
      const ofField = lengths[names.indexOf(field)]!;
      return (row) => ofField[row]!;
    },
  };
}

interface VisibleRecord {
  readonly bytes: number;
  /** Doubles. */
  readonly rows: Buffer;
  /** Integers. */
  readonly lengths: Buffer;
}

function compileVisibleRows(row: Row, visible: Sql): RawBuilder<VisibleRecord> {
  const { layout } = row;
  const names = searchableFields(layout.type).map((_, at) => lengthColumn(at));
  const words = 'w';
  const selected = [column(row, 'row'), ...names.map((name) => ref(words, name))];
  const numbers = sql`string_agg(float8send(row), '')`;
  const lengths = names.map((name) => sql`coalesce(string_agg(int4send(${sql.id(name)}), ''), '')`);
  return sql`select rows, lengths, length(rows) + length(lengths) as bytes from (
    select coalesce(${numbers}, '') as rows, ${lengths.length === 0 ? sql`''::bytea` : sql.join(lengths, sql` || `)} as lengths from (
      select ${sql.join(selected)} from ${from(row)} join ${table(layout.wordTable, words)} on ${ref(words, 'row')} = ${column(row, 'row')}
      where ${visible} order by ${column(row, 'id')}
    ) v
  ) n`;
}

function decodeVisibleRows(record: VisibleRecord, { type }: TypeLayout): Omit<VisibleRows, 'key'> {
  const rows = doublesOf(record.rows);
  const size = rows.length;
  const lengths = searchableFields(type).map((_, field) =>
    Int32Array.from({ length: size }, (_, at) => record.lengths.readInt32BE(4 * (field * size + at))),
  );
  const byBlock = new Map<number, { bits: Int32Array; before: Int32Array; places: Int32Array }>();
  for (const row of rows) {
    const number = blockOf(row);
    let block = byBlock.get(number);
    if (block === undefined) {
      block = { bits: new Int32Array(GROUPS), before: new Int32Array(GROUPS + 1), places: new Int32Array() };
      byBlock.set(number, block);
    }
    const offset = offsetOf(row);
    block.bits[offset >> 5]! |= 1 << (offset & 31);
    block.before[(offset >> 5) + 1]!++;
  }
  for (const block of byBlock.values()) {
    for (let i = 1; i < block.before.length; i++) block.before[i]! += block.before[i - 1]!;
    block.places = new Int32Array(block.before.at(-1)!);
  }
  rows.forEach((row, at) => {
    const block = byBlock.get(blockOf(row))!;
    block.places[rankOf(block, offsetOf(row))] = at;
  });
  return { rows, lengths, blocks: byBlock, all: { kind: 'all', count: size } };
}

function doublesOf(bytes: Buffer): Float64Array {
  return Float64Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readDoubleBE(8 * at));
}

const GROUPS = BLOCK_ROWS / 32;

/** -1 for a row that is not visible. */
function placeOf(block: VisibleBlock, offset: number): number {
  return (block.bits[offset >> 5]! & (1 << (offset & 31))) === 0 ? -1 : block.places[rankOf(block, offset)]!;
}

function rankOf({ bits, before }: VisibleBlock, offset: number): number {
  return before[offset >> 5]! + bitCount(bits[offset >> 5]! & ((1 << (offset & 31)) - 1));
}
