import { z } from 'zod';
import type { WritableDriver } from '../storage/driver.ts';

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

/**
 * The ids that were removed, in a file of the content folder that is committed with the removal: a line of JSON each,
 * by which a merge of two branches keeps the lines of both. The file's name keeps it from being content.
 */
export interface Ledger {
  find(type: string, id: string): Promise<GoneEntity | undefined>;
  /** To be called where nobody else writes. */
  add(gone: GoneEntity): Promise<void>;
  /** An id that is there again. To be called where nobody else writes. */
  drop(type: string, id: string): Promise<void>;
}

/** Key of the ledger's file. */
export const LEDGER_KEY = '_gone.jsonl';

export function createLedger(driver: WritableDriver): Ledger {
  let known:
    | { readonly size: number; readonly mtimeMs: number; readonly gone: ReadonlyMap<string, GoneEntity> }
    | undefined;

  async function read(): Promise<ReadonlyMap<string, GoneEntity>> {
    const file = await driver.stat(LEDGER_KEY);
    if (file === undefined) return NOTHING;
    if (known?.size === file.size && known.mtimeMs === file.mtimeMs) return known.gone;
    const gone = new Map<string, GoneEntity>();
    for (const line of await lines()) {
      const entry = parseLine(line);
      if (entry !== undefined) gone.set(nameOf(entry), entry);
    }
    known = { size: file.size, mtimeMs: file.mtimeMs, gone };
    return gone;
  }

  async function lines(): Promise<readonly string[]> {
    const bytes = await driver.read(LEDGER_KEY);
    return decoder
      .decode(bytes)
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '');
  }

  async function write(list: readonly string[]): Promise<void> {
    known = undefined;
    if (list.length === 0) await driver.remove(LEDGER_KEY);
    else await driver.write(LEDGER_KEY, encoder.encode(`${list.join('\n')}\n`));
  }

  return {
    find: async (type, id) => (await read()).get(nameOf({ type, id })),
    async add(gone) {
      const { type, id, at, published, uid } = gone;
      const others = (await lines()).filter((line) => !isOf(line, gone));
      await write([...others, JSON.stringify({ type, id, at, published, uid })]);
    },
    async drop(type, id) {
      if ((await read()).has(nameOf({ type, id }))) {
        await write((await lines()).filter((line) => !isOf(line, { type, id })));
      }
    },
  };
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

const NOTHING: ReadonlyMap<string, GoneEntity> = new Map();
const decoder = new TextDecoder();
const encoder = new TextEncoder();
