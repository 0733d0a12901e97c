import { type RawBuilder, sql } from 'kysely';
import { Dictionary } from '../engine/store/dictionary.ts';
import { binarySearch, compareRaw, foldText, type Ordering } from '../engine/store/ordering.ts';
import { allSteps } from '../engine/time-slices.ts';
import { type Database, rowsOf } from './database.ts';
import { fromStored, toStored } from './text.ts';

/**
 * The distinct strings of the content, each with a key: keys are in the order of the collator, and equal for strings that it
 * considers equal. PostgreSQL thus compares strings like `Intl.Collator`, whatever ICU it has. Bodies are in a dictionary of
 * their own.
 */
export type DictionaryName = 'texts' | 'bodies';
export const DICTIONARIES: readonly DictionaryName[] = ['texts', 'bodies'];

/** Keys are above 0 and below this number, which JavaScript represents exactly. */
const KEYS = 2 ** 53;
/** A string after all others leaves this distance, so that ascending strings such as dates do not fill the gaps. */
const MAX_STEP = 2 ** 32;

export interface StoredString {
  /** The number of the string. It never changes. */
  readonly no: number;
  readonly key: number;
}

/** The place of a string among the keys: its own key, or that of the strings just below it; 0 without any. */
export interface Position {
  readonly key: number;
  readonly exact: boolean;
}

export function createDictionaryTable(name: DictionaryName): readonly string[] {
  return [
    `CREATE TABLE ${name} (no bigint PRIMARY KEY, key bigint NOT NULL, raw text COLLATE "C" NOT NULL, folded text COLLATE "C" NOT NULL)`,
    `CREATE INDEX ON ${name} (key)`,
    `CREATE INDEX ON ${name} USING hash (raw)`,
    `CREATE INDEX ON ${name} USING gin (folded gin_trgm_ops)`,
  ];
}

/** The strings that are stored already, by their text. */
export async function storedStrings(
  db: Database,
  name: DictionaryName,
  strings: readonly string[],
): Promise<Map<string, StoredString>> {
  const found = new Map<string, StoredString>();
  for (let from = 0; from < strings.length; from += BATCH) {
    const some = strings.slice(from, from + BATCH).map(toStored);
    const rows = await rowsOf(
      db,
      sql<
        StoredString & { raw: string }
      >`select no, key, raw from ${sql.table(name)} where raw = any(${some}::text[])`,
    );
    for (const { raw, no, key } of rows) found.set(fromStored(raw), { no, key });
  }
  return found;
}

/** Strings per statement. */
const BATCH = 2000;

/** Adds missing strings, in a transaction. If the keys between two neighbors are used up, all strings get new keys: then it returns true. */
async function addStrings(
  db: Database,
  name: DictionaryName,
  strings: readonly string[],
  ordering: Ordering,
): Promise<boolean> {
  const stored = await storedStrings(db, name, strings);
  const missing = strings.filter((text) => !stored.has(text));
  if (missing.length === 0) return false;
  let no = await lastNumber(db, name);
  const sorted = sortStrings(missing, ordering);
  const keys = no === 0 ? spreadKeys(sorted, ordering) : await keysBetween(db, name, sorted, ordering);
  const added = sorted.map((text, i) => ({ text, no: ++no, key: keys?.[i] ?? 0 }));
  await insertStrings(db, name, added);
  if (keys === undefined) await relabel(db, name, ordering);
  return keys === undefined;
}

/** Gives all strings new keys, at equal distances. */
export async function relabel(db: Database, name: DictionaryName, ordering: Ordering): Promise<void> {
  const waiting = createWaitingStrings(db, name, ordering);
  for await (const { text, no } of readStored(db, name)) {
    waiting.add(text, no);
    await waiting.makeRoom();
  }
  await waiting.relabel();
}

/** Strings that wait for their keys: in memory, and sorted parts of them in a table if there are many. */
export interface WaitingStrings {
  /** `no` is the number of a string that is stored. */
  add(text: string, no?: number): void;
  /** Moves the strings to the table if they are many. */
  makeRoom(): Promise<void>;
  /** Stores new strings beside the others. Returns true if these got new keys. */
  store(): Promise<boolean>;
  /** Gives the strings new keys, which must be all. */
  relabel(): Promise<void>;
}

/** Characters in memory, and what a string costs beside its own. */
const MAX_CHARACTERS = 32_000_000;
const COST = 50;

export function createWaitingStrings(
  db: Database,
  name: DictionaryName,
  ordering: Ordering,
  maxCharacters = MAX_CHARACTERS,
): WaitingStrings {
  const table = sql.id(`waiting_${name}`);
  let waiting = new Map<string, number | null>();
  let characters = 0;
  let parts = 0;

  async function movePart(): Promise<void> {
    if (parts++ === 0) {
      await rowsOf(
        db,
        sql`create unlogged table ${table} (part integer, pos integer, no bigint, raw text, primary key (part, pos))`,
      );
    }
    const fresh = [...waiting].flatMap(([text, no]) => (no === null ? [text] : []));
    for (const text of (await storedStrings(db, name, fresh)).keys()) waiting.delete(text);
    const sorted = sortStrings([...waiting.keys()], ordering);
    for (let from = 0; from < sorted.length; from += BATCH) {
      const some = sorted.slice(from, from + BATCH);
      const nos = some.map((text) => waiting.get(text));
      await rowsOf(
        db,
        sql`insert into ${table} select ${sql.lit(parts)}, ${sql.lit(from)} + pos, no, raw
          from unnest(${nos}::bigint[], ${some.map(toStored)}::text[]) with ordinality v (no, raw, pos)`,
      );
    }
    waiting = new Map();
    characters = 0;
  }

  async function assignKeys(others: readonly AsyncIterable<WaitingString>[]): Promise<void> {
    if (waiting.size > 0) await movePart();
    if (parts === 0) return;
    const sources = Array.from({ length: parts }, (_, i) =>
      readCursor(
        db,
        `part_${i + 1}`,
        sql`select no, raw from ${table} where part = ${sql.lit(i + 1)} order by pos`,
      ),
    );
    const [sizes] = await rowsOf(
      db,
      sql<{
        count: number;
      }>`select (select count(*) from ${table}) + (select count(*) from ${sql.id(name)}) as count`,
    );
    const step = Math.floor(KEYS / (sizes!.count + 2));
    let lastNo = await lastNumber(db, name);
    let previous: string | undefined;
    let key = 0;
    let added: (StoredString & { readonly text: string })[] = [];
    let changed: StoredString[] = [];
    const write = async () => {
      await insertStrings(db, name, added);
      await rowsOf(
        db,
        sql`update ${sql.table(name)} d set key = n.key from unnest(${changed.map(({ no }) => no)}::bigint[], ${changed.map((each) => each.key)}::bigint[]) n (no, key) where d.no = n.no`,
      );
      added = [];
      changed = [];
    };
    for await (const { text, no } of mergeSorted([...others, ...sources], ordering)) {
      // Several parts can have it.
      if (text === previous) continue;
      if (previous === undefined || ordering.compare(previous, text) !== 0) key += step;
      previous = text;
      if (no === null) added.push({ text, no: ++lastNo, key });
      else changed.push({ no, key });
      if (added.length + changed.length >= BATCH) await write();
    }
    await write();
    await rowsOf(db, sql`drop table ${table}`);
    parts = 0;
  }

  return {
    add(text, no) {
      if (waiting.has(text)) return;
      waiting.set(text, no ?? null);
      characters += text.length + COST;
    },
    async makeRoom() {
      if (characters > maxCharacters) await movePart();
    },
    async store() {
      if (parts === 0) return addStrings(db, name, [...waiting.keys()], ordering);
      await assignKeys([readStored(db, name)]);
      return true;
    },
    relabel: () => assignKeys([]),
  };
}

interface WaitingString {
  readonly text: string;
  /** Null for a new string. */
  readonly no: number | null;
}

/** The stored strings in the order of their keys, as they are now. */
function readStored(db: Database, name: DictionaryName): AsyncGenerator<WaitingString & { no: number }> {
  return readCursor(db, `stored_${name}`, sql`select no, raw from ${sql.table(name)} order by key`);
}

/** Reads a query in small steps. Later changes do not affect it. */
async function* readCursor<No extends number | null>(
  db: Database,
  name: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<{ text: string; no: No }> {
  const cursor = sql.id(name);
  await rowsOf(db, sql`declare ${cursor} no scroll cursor for ${query}`);
  for (;;) {
    const rows = await rowsOf(db, sql<{ no: No; raw: string }>`fetch ${sql.lit(FETCHED)} from ${cursor}`);
    for (const { no, raw } of rows) yield { text: fromStored(raw), no };
    if (rows.length < FETCHED) break;
  }
  await rowsOf(db, sql`close ${cursor}`);
}

/** Rows that a step of a cursor reads. */
const FETCHED = 500;

/** The strings of sorted sources, in order. */
async function* mergeSorted(
  sources: readonly AsyncIterable<WaitingString>[],
  { compare }: Ordering,
): AsyncGenerator<WaitingString> {
  const heads: { readonly first: WaitingString; readonly rest: AsyncIterator<WaitingString> }[] = [];
  const advance = async (rest: AsyncIterator<WaitingString>) => {
    const { value: first, done } = await rest.next();
    if (done === true) return;
    const isBelow = (i: number) => {
      const { text } = heads[i]!.first;
      return (compare(text, first.text) || compareRaw(text, first.text)) < 0;
    };
    heads.splice(binarySearch(heads.length, isBelow), 0, { first, rest });
  };
  for (const source of sources) await advance(source[Symbol.asyncIterator]());
  for (let head = heads.shift(); head !== undefined; head = heads.shift()) {
    yield head.first;
    await advance(head.rest);
  }
}

async function lastNumber(db: Database, name: DictionaryName): Promise<number> {
  const [last] = await rowsOf(
    db,
    sql<{ no: number }>`select coalesce(max(no), 0) as no from ${sql.table(name)}`,
  );
  return last!.no;
}

async function insertStrings(
  db: Database,
  name: DictionaryName,
  added: readonly (StoredString & { readonly text: string })[],
): Promise<void> {
  for (let from = 0; from < added.length; from += BATCH) {
    const some = added.slice(from, from + BATCH);
    const columns = sql.join([
      sql`${some.map(({ no }) => no)}::bigint[]`,
      sql`${some.map(({ key }) => key)}::bigint[]`,
      sql`${some.map(({ text }) => toStored(text))}::text[]`,
      sql`${some.map(({ text }) => toStored(foldText(text)))}::text[]`,
    ]);
    await rowsOf(db, sql`insert into ${sql.table(name)} select * from unnest(${columns})`);
  }
}

function sortStrings(strings: readonly string[], ordering: Ordering): readonly string[] {
  const { dictionary } = allSteps(Dictionary.of(ordering, strings));
  return Array.from({ length: dictionary.size }, (_, code) => String(dictionary.raw(code)));
}

/** A key for each sorted string, at equal distances. */
function spreadKeys(sorted: readonly string[], ordering: Ordering): readonly number[] {
  const classes = classesOf(sorted, ordering);
  const step = Math.floor(KEYS / ((classes.at(-1) ?? 0) + 2));
  return classes.map((each) => (each + 1) * step);
}

/** The number of each sorted string among the different ones. */
function classesOf(sorted: readonly string[], { compare }: Ordering): readonly number[] {
  let current = -1;
  return sorted.map((text, i) => {
    if (i === 0 || compare(sorted[i - 1]!, text) !== 0) current++;
    return current;
  });
}

/** Keys for sorted strings between those of the stored ones; undefined if there are not enough. */
async function keysBetween(
  db: Database,
  name: DictionaryName,
  sorted: readonly string[],
  ordering: Ordering,
): Promise<readonly number[] | undefined> {
  const positions = await positionsOf(db, name, sorted, ordering);
  const keys: number[] = [];
  for (let from = 0; from < sorted.length; ) {
    const { key, exact } = positions[from]!;
    if (exact) {
      keys.push(key);
      from++;
      continue;
    }
    let end = from + 1;
    while (end < sorted.length && !positions[end]!.exact && positions[end]!.key === key) end++;
    const classes = classesOf(sorted.slice(from, end), ordering);
    const count = classes.at(-1)! + 1;
    const [next] = await rowsOf(
      db,
      sql<{ key: number }>`select key from ${sql.table(name)} where key > ${key} order by key limit 1`,
    );
    const step = Math.min(MAX_STEP, Math.floor(((next?.key ?? KEYS) - key) / (count + 1)));
    if (step === 0) return undefined;
    for (const each of classes) keys.push(key + (each + 1) * step);
    from = end;
  }
  return keys;
}

/** The positions of strings. Reads all strings if there are many positions to find. */
async function positionsOf(
  db: Database,
  name: DictionaryName,
  texts: readonly string[],
  ordering: Ordering,
): Promise<readonly Position[]> {
  if (texts.length < MANY) return Promise.all(texts.map((text) => findPosition(db, name, text, ordering)));
  const rows = await rowsOf(
    db,
    sql<KeyedText>`select distinct on (key) key, raw from ${sql.table(name)} order by key`,
  );
  const raws = rows.map(({ raw }) => fromStored(raw));
  return texts.map((text) => {
    let low = 0;
    let high = raws.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ordering.compare(raws[middle]!, text) <= 0) low = middle + 1;
      else high = middle;
    }
    const key = rows[low - 1]?.key ?? 0;
    return { key, exact: low > 0 && ordering.compare(raws[low - 1]!, text) === 0 };
  });
}

const MANY = 200;

interface KeyedText {
  readonly key: number;
  readonly raw: string;
}

/** Keys that one search step reads. */
const PROBES = 32;

/** Finds a string that need not be stored. Each step reads a few strings between the nearest ones so far. */
export async function findPosition(
  db: Database,
  name: DictionaryName,
  text: string,
  { compare }: Ordering,
): Promise<Position> {
  const [stored] = await rowsOf(
    db,
    sql<{ key: number }>`select key from ${sql.table(name)} where raw = ${toStored(text)} limit 1`,
  );
  if (stored !== undefined) return { key: stored.key, exact: true };
  let low = 0;
  let high = KEYS;
  for (;;) {
    const width = (high - low - 1) / PROBES;
    const probes = Array.from({ length: PROBES }, (_, i) => low + 1 + Math.floor(i * width));
    const rows = await rowsOf(
      db,
      sql<KeyedText>`select distinct on (d.key) d.key, d.raw from unnest(${probes}::bigint[]) p (key) cross join lateral
        (select key, raw from ${sql.table(name)} where key >= p.key and key < ${high} order by key limit 1) d order by d.key`,
    );
    let advanced = false;
    for (const { key, raw } of rows) {
      const sign = compare(fromStored(raw), text);
      if (sign === 0) return { key, exact: true };
      if (sign > 0) {
        high = key;
        break;
      }
      low = key;
      advanced = true;
    }
    if (!advanced) return { key: low, exact: false };
  }
}
