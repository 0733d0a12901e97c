import { sql } from 'kysely';
import { type Database, rowsOf } from './database.ts';
import type { TypeLayout } from './layout.ts';

/**
 * The rows with each word of a field. They are stored in blocks of consecutive row numbers: a posting has two bytes, the offset in
 * the block and how often the word occurs. Zero means that the number of occurrences follows. Changed rows are new ones, so a
 * block only grows at its end. The postings of removed rows stay for a while, and readers skip them.
 */
export interface StoredPostings {
  readonly block: number;
  readonly postings: Uint8Array;
}

const OFFSET_BITS = 14;
export const BLOCK_ROWS = 1 << OFFSET_BITS;
const COUNT_BITS = 2;
const COUNTS = 1 << COUNT_BITS;
/** Postings in memory. More of them are stored before their block is complete. */
const MAX_BUFFERED = 2_000_000;
/** The removal of each row whose number is a multiple of this also removes the postings of former rows of its block. */
const ROWS_PER_CLEANUP = 1024;

export function blockOf(row: number): number {
  return Math.floor(row / BLOCK_ROWS);
}

export function offsetOf(row: number): number {
  return row % BLOCK_ROWS;
}

/** The number of a row. */
export function rowAt(block: number, offset: number): number {
  return block * BLOCK_ROWS + offset;
}

/** Visits the postings of a block in the order of rows. */
export function eachPosting(
  postings: Uint8Array,
  visit: (offset: number, count: number, start: number, end: number) => void,
): void {
  const read = (at: number) => postings[at]! | (postings[at + 1]! << 8);
  for (let at = 0; at < postings.length; ) {
    const start = at;
    const posting = read(at);
    at += 2;
    let count = posting & (COUNTS - 1);
    if (count === 0) {
      count = read(at);
      at += 2;
    }
    visit(posting >> COUNT_BITS, count, start, at);
  }
}

/** Adds the words of new rows, in ascending order. */
export function createPostingWriter({ postingTable }: TypeLayout) {
  let block = -1;
  let buffered = 0;
  let added = new Map<string, number[]>();

  async function flush(db: Database): Promise<void> {
    if (added.size === 0) return;
    const keys = [...added.keys()].sort();
    const blocks = keys.map(() => block);
    const values = keys.map((key) => Buffer.from(added.get(key)!));
    buffered = 0;
    added = new Map();
    await rowsOf(
      db,
      sql`insert into ${sql.table(postingTable)} as p (key, block, postings) select * from unnest(${keys}::text[], ${blocks}::integer[], ${values}::bytea[])
        on conflict (key, block) do update set postings = p.postings || excluded.postings`,
    );
  }

  return {
    flush,
    /** `counts` are by `wordKey`. */
    async add(db: Database, row: number, counts: ReadonlyMap<string, number>): Promise<void> {
      if (blockOf(row) !== block || buffered > MAX_BUFFERED) await flush(db);
      block = blockOf(row);
      buffered += counts.size;
      const offset = offsetOf(row) << COUNT_BITS;
      for (const [key, count] of counts) {
        const bytes = added.get(key) ?? [];
        added.set(key, bytes);
        const posting = count < COUNTS ? offset | count : offset;
        bytes.push(posting & 255, posting >> 8);
        if (count >= COUNTS) bytes.push(count & 255, count >> 8);
      }
    },
  };
}

/** Removes the postings of former rows from the blocks of some of the removed rows, so that the table does not grow forever. */
export async function cleanPostings(
  db: Database,
  { postingTable, wordTable }: TypeLayout,
  removed: readonly number[],
): Promise<void> {
  const blocks = new Set(removed.filter((row) => row % ROWS_PER_CLEANUP === 0).map(blockOf));
  for (const block of blocks) {
    const [first, end] = [rowAt(block, 0), rowAt(block + 1, 0)];
    const rows = await rowsOf(
      db,
      sql<{ row: number }>`select row from ${sql.table(wordTable)} where row >= ${first} and row < ${end}`,
    );
    const present = new Set(rows.map(({ row }) => offsetOf(row)));
    const stored = await rowsOf(
      db,
      sql<{
        key: string;
        postings: Buffer;
      }>`select key, postings from ${sql.table(postingTable)} where block = ${block}`,
    );
    const changed = stored.flatMap(({ key, postings }) => {
      const kept: Uint8Array[] = [];
      eachPosting(postings, (offset, _, start, end) => {
        if (present.has(offset)) kept.push(postings.subarray(start, end));
      });
      const rest = Buffer.concat(kept);
      return rest.length === postings.length ? [] : [{ key, rest }];
    });
    const keys = changed.map(({ key }) => key);
    const rests = changed.map(({ rest }) => rest);
    await rowsOf(
      db,
      sql`update ${sql.table(postingTable)} p set postings = k.postings from unnest(${keys}::text[], ${rests}::bytea[]) k (key, postings)
        where p.block = ${block} and p.key = k.key`,
    );
    await rowsOf(
      db,
      sql`delete from ${sql.table(postingTable)} where block = ${block} and length(postings) = 0`,
    );
  }
}
