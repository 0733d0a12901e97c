import { sql } from 'kysely';
import { Dictionary } from '../engine/store/dictionary.ts';
import { foldText, type Ordering } from '../engine/store/ordering.ts';
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
const BATCH = 5000;

/**
 * Adds missing strings, and returns all. If the keys between two neighbors are used up, all strings get new keys first;
 * `relabelled` says so.
 */
export async function addStrings(
  db: Database,
  name: DictionaryName,
  strings: readonly string[],
  ordering: Ordering,
): Promise<{ readonly strings: ReadonlyMap<string, StoredString>; readonly relabelled: boolean }> {
  const stored = await storedStrings(db, name, strings);
  const missing = strings.filter((text) => !stored.has(text));
  if (missing.length === 0) return { strings: stored, relabelled: false };
  const [last] = await rowsOf(
    db,
    sql<{ no: number }>`select coalesce(max(no), 0) as no from ${sql.table(name)}`,
  );
  let no = last!.no;
  const sorted = sortStrings(missing, ordering);
  const keys = no === 0 ? spreadKeys(sorted, ordering) : await keysBetween(db, name, sorted, ordering);
  const added = sorted.map((text, i) => ({ text, no: ++no, key: keys?.[i] ?? 0 }));
  await insertStrings(db, name, added);
  for (const { text, ...rest } of added) stored.set(text, rest);
  if (keys !== undefined) return { strings: stored, relabelled: false };
  await relabel(db, name, ordering);
  return { strings: await storedStrings(db, name, strings), relabelled: true };
}

/** Gives all strings new keys, at equal distances. */
export async function relabel(db: Database, name: DictionaryName, ordering: Ordering): Promise<void> {
  const rows = await rowsOf(db, sql<{ no: number; raw: string }>`select no, raw from ${sql.table(name)}`);
  const numbers = new Map(rows.map(({ no, raw }) => [fromStored(raw), no]));
  const sorted = sortStrings([...numbers.keys()], ordering);
  const keys = spreadKeys(sorted, ordering);
  const nos = sorted.map((text) => numbers.get(text)!);
  await rowsOf(
    db,
    sql`update ${sql.table(name)} d set key = n.key from unnest(${nos}::bigint[], ${keys}::bigint[]) n (no, key) where d.no = n.no`,
  );
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
