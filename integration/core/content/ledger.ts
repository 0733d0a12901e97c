import { z } from 'zod';
import type { StorageDriver, WritableDriver } from '../storage/driver.ts';
import { parseAs } from '../util/json.ts';
import { type Reference, referenceKey } from './model.ts';

/** An entity that was permanently removed. */
export type GoneEntity = z.infer<typeof goneEntity>;

const goneEntity = z.object({
  /** Resource type name. */
  type: z.string(),
  id: z.string(),
  /** Time of the removal: RFC 3339, UTC. */
  at: z.string(),
  /** With `uid`, decides the visibility of the entity. */
  published: z.boolean(),
  uid: z.string().nullable(),
});

/** The removed entities. */
export interface GoneEntities {
  find(type: string, id: string): Promise<GoneEntity | undefined>;
  all(): Promise<Iterable<GoneEntity>>;
}

/**
 * The removed entities, in a file of the content folder that is committed with the removal. It has one line of JSON per
 * entity, so that a merge of two branches keeps the lines of both. Call its methods under the write lock.
 */
export interface Ledger extends GoneEntities {
  add(gone: readonly GoneEntity[]): Promise<void>;
  /** Removes an id that exists again. */
  drop(type: string, id: string): Promise<void>;
}

/** The leading underscore keeps the file from being content. */
export const LEDGER_KEY = '_gone.jsonl';

type LedgerFiles = Pick<WritableDriver, 'stat' | 'read' | 'write' | 'remove'>;

export function createGoneEntities(driver: Pick<StorageDriver, 'stat' | 'read'>): GoneEntities {
  let cached:
    | { readonly size: number; readonly mtimeMs: number; readonly gone: ReadonlyMap<string, GoneEntity> }
    | undefined;

  async function read(): Promise<ReadonlyMap<string, GoneEntity>> {
    const file = await driver.stat(LEDGER_KEY);
    if (file === undefined) return new Map();
    if (cached?.size !== file.size || cached.mtimeMs !== file.mtimeMs) {
      const entries = (await readLines(driver)).flatMap((line) => parseLine(line) ?? []);
      const gone = new Map(entries.map((entry) => [referenceKey(entry), entry]));
      cached = { size: file.size, mtimeMs: file.mtimeMs, gone };
    }
    return cached.gone;
  }

  return {
    find: async (type, id) => (await read()).get(referenceKey({ type, id })),
    all: async () => (await read()).values(),
  };
}

/** `stored` are the removed entities in the file as it is now. */
export function createLedger(driver: LedgerFiles, stored: GoneEntities): Ledger {
  let gone = stored;

  async function replaceLines(entities: readonly Reference[], added: readonly string[]): Promise<void> {
    const lines = [...(await readLines(driver)).filter((each) => !isAbout(each, entities)), ...added];
    gone = createGoneEntities(driver);
    if (lines.length === 0) await driver.remove(LEDGER_KEY);
    else await driver.write(LEDGER_KEY, new TextEncoder().encode(`${lines.join('\n')}\n`));
  }

  return {
    find: (type, id) => gone.find(type, id),
    all: () => gone.all(),
    add: (added) =>
      replaceLines(
        added,
        added.map(({ type, id, at, published, uid }) => JSON.stringify({ type, id, at, published, uid })),
      ),
    async drop(type, id) {
      if ((await gone.find(type, id)) !== undefined) await replaceLines([{ type, id }], []);
    },
  };
}

/** The text of a list of removed entities without the lines about these entities, other than those in `present`. */
export function withoutGone(text: string, entities: readonly Reference[], present: string): string {
  const former = new Set(present.split(/(?<=\n)/));
  return text
    .split(/(?<=\n)/)
    .filter((line) => former.has(line) || !isAbout(line, entities))
    .join('');
}

function isAbout(line: string, entities: readonly Reference[]): boolean {
  const parsed = parseLine(line);
  return parsed !== undefined && entities.some(({ type, id }) => parsed.type === type && parsed.id === id);
}

async function readLines(driver: Pick<StorageDriver, 'read'>): Promise<readonly string[]> {
  const text = new TextDecoder().decode(await driver.read(LEDGER_KEY));
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** Undefined for other lines, such as conflict markers of a merge, which are kept. */
function parseLine(line: string): GoneEntity | undefined {
  return parseAs(goneEntity, line);
}
