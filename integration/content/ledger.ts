import { z } from 'zod';
import type { StorageDriver, WritableDriver } from '../storage/driver.ts';

/** An entity that was removed and will not return. */
export interface GoneEntity {
  /** Resource type name. */
  readonly type: string;
  readonly id: string;
  /** When it was removed: RFC 3339, UTC. */
  readonly at: string;
  /** What decides who could have seen it. */
  readonly published: boolean;
  readonly uid: string | null;
}

/** The entities that were removed. */
export interface GoneEntities {
  find(type: string, id: string): Promise<GoneEntity | undefined>;
}

/**
 * The ids that were removed, in a file of the content folder that is committed with the removal: a line of JSON each,
 * by which a merge of two branches keeps the lines of both. The file's name keeps it from being content.
 */
export interface Ledger extends GoneEntities {
  /** To be called where nobody else writes. */
  add(gone: GoneEntity): Promise<void>;
  /** An id that is there again. To be called where nobody else writes. */
  drop(type: string, id: string): Promise<void>;
}

/** Key of the ledger's file. */
export const LEDGER_KEY = '_gone.jsonl';

/** The removed entities that the ledger of a content folder lists. */
export function createGoneEntities(driver: Pick<StorageDriver, 'stat' | 'read'>): GoneEntities {
  let cached:
    | { readonly size: number; readonly mtimeMs: number; readonly gone: ReadonlyMap<string, GoneEntity> }
    | undefined;

  return {
    async find(type, id) {
      const file = await driver.stat(LEDGER_KEY);
      if (file === undefined) return undefined;
      if (cached?.size !== file.size || cached.mtimeMs !== file.mtimeMs) {
        const entries = (await readLines(driver)).flatMap((line) => parseLine(line) ?? []);
        const gone = new Map(entries.map((entry) => [nameOf(entry), entry]));
        cached = { size: file.size, mtimeMs: file.mtimeMs, gone };
      }
      return cached.gone.get(nameOf({ type, id }));
    },
  };
}

export function createLedger(driver: WritableDriver): Ledger {
  let gone = createGoneEntities(driver);

  async function write(lines: readonly string[]): Promise<void> {
    gone = createGoneEntities(driver);
    if (lines.length === 0) await driver.remove(LEDGER_KEY);
    else await driver.write(LEDGER_KEY, encoder.encode(`${lines.join('\n')}\n`));
  }

  return {
    find: (type, id) => gone.find(type, id),
    async add(entry) {
      const { type, id, at, published, uid } = entry;
      const others = (await readLines(driver)).filter((line) => !isOf(line, entry));
      await write([...others, JSON.stringify({ type, id, at, published, uid })]);
    },
    async drop(type, id) {
      if ((await gone.find(type, id)) === undefined) return;
      await write((await readLines(driver)).filter((line) => !isOf(line, { type, id })));
    },
  };
}

async function readLines(driver: Pick<StorageDriver, 'read'>): Promise<readonly string[]> {
  const text = decoder.decode(await driver.read(LEDGER_KEY));
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

const goneSchema = z.object({
  type: z.string(),
  id: z.string(),
  at: z.string(),
  published: z.boolean(),
  uid: z.string().nullable(),
});

/** Undefined for a line that is none of ours, such as the marks of a merge; it is kept as it is. */
function parseLine(line: string): GoneEntity | undefined {
  try {
    return goneSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function isOf(line: string, { type, id }: Pick<GoneEntity, 'type' | 'id'>): boolean {
  const entry = parseLine(line);
  return entry?.type === type && entry.id === id;
}

function nameOf({ type, id }: Pick<GoneEntity, 'type' | 'id'>): string {
  return `${type} ${id}`;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
