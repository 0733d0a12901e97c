import fc from 'fast-check';
import { expect } from 'vitest';
import type { Entity } from '../../integration/core/content/model.ts';
import type { EngineQuery, QueryAccess, QueryEngine } from '../../integration/core/engine/engine.ts';
import { BadParameterError } from '../../integration/core/util/errors.ts';
import { queries, type TypedQuery } from './arbitraries.ts';
import { evaluate } from './evaluate.ts';
import { type Dataset, typeNamed } from './items.ts';

/** A query whose list is read with cursors, in pages of a size. */
export interface Walk extends TypedQuery {
  readonly size: number;
  /** Two positions in the list, as fractions of its length. */
  readonly ends: readonly [number, number];
}

export function walks(): fc.Arbitrary<Walk> {
  const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
  return fc
    .tuple(queries(), fc.integer({ min: 1, max: 5 }), fc.tuple(fraction, fraction))
    .map(([typed, size, ends]) => ({ ...typed, size, ends }));
}

/**
 * Reads a whole list forward and backward, and a range of it, and compares each page with the sorted list of the oracle. Then
 * another engine, which lacks some of the entities, continues from the same cursors.
 */
export async function expectWalk(
  engine: QueryEngine,
  changed: { readonly engine: QueryEngine; readonly dataset: Dataset } | undefined,
  dataset: Dataset,
  { type, query, size, ends }: Walk,
  access: QueryAccess,
): Promise<number> {
  const description = JSON.stringify({ type, query, size, ends });
  const all = { ...query, facets: [], page: { offset: 0, limit: Number.POSITIVE_INFINITY } };
  const sorted = evaluate(dataset, type, all, access).entities.map(rowName);
  const read = async (on: QueryEngine, limit: number, cursors: EngineQuery['page']['cursors'] = {}) => {
    const page = { offset: 0, limit, cursors };
    const result = await on.run(typeNamed(dataset, type), { ...all, page }, access);
    const { items, inRange } = result.cursors!;
    expect(items.length, description).toBe(result.entities.length);
    return { rows: result.entities.map(rowName), items, inRange, count: result.count };
  };
  const found = await read(engine, Math.max(1, sorted.length));
  expect(found, description).toMatchObject({ rows: sorted, count: sorted.length, inRange: sorted.length });
  const cursors = found.items;

  let at: string | undefined;
  for (let start = 0; start <= sorted.length; start += size) {
    const page = await read(engine, size, at === undefined ? {} : { after: at });
    expect(page, description).toEqual({
      rows: sorted.slice(start, start + size),
      items: cursors.slice(start, start + size),
      inRange: sorted.length - start,
      count: sorted.length,
    });
    at = page.items.at(-1) ?? at;
  }
  at = cursors.at(-1);
  for (let end = sorted.length - 1; end >= 0; end -= size) {
    const page = await read(engine, size, { before: at! });
    const rows = sorted.slice(Math.max(0, end - size), end);
    expect(page, description).toMatchObject({ rows, inRange: end });
    at = page.items[0];
  }
  if (cursors.length === 0) return 0;
  const [from, to] = ends.map((end) => Math.floor(end * cursors.length)) as [number, number];
  const range = { after: cursors[from]!, before: cursors[to]! };
  const between = sorted.slice(from + 1, Math.max(to, from + 1));
  expect(await read(engine, size, range), description).toMatchObject({
    rows: between.slice(0, size),
    inRange: between.length,
  });

  if (changed !== undefined) {
    const rest = evaluate(changed.dataset, type, all, access).entities.map(rowName);
    // A query through references to removed entities has another order.
    const isShortened = rest.join() === sorted.filter((row) => rest.includes(row)).join();
    const keys = (await read(changed.engine, 1000)).items;
    const hasSameKeys = keys.every((key) => cursors.includes(key));
    if (isShortened && hasSameKeys) {
      const after = sorted.slice(from + 1).filter((row) => rest.includes(row));
      const before = sorted.slice(0, to).filter((row) => rest.includes(row));
      expect((await read(changed.engine, 1000, { after: range.after })).rows, description).toEqual(after);
      expect((await read(changed.engine, 1000, { before: range.before })).rows, description).toEqual(before);
    }
  }
  return sorted.length;
}

/** Reads with damaged cursors. Each is a 400 about its parameter, or the place of other values in the same list. */
export async function expectDamagedCursors(
  engine: QueryEngine,
  dataset: Dataset,
  { type, query }: TypedQuery,
  access: QueryAccess,
  damage: readonly number[],
): Promise<void> {
  const run = (cursors: EngineQuery['page']['cursors']) =>
    engine.run(
      typeNamed(dataset, type),
      { ...query, facets: [], page: { offset: 0, limit: 50, cursors: cursors! } },
      access,
    );
  const { cursors, entities } = await run({});
  const seen = new Set(entities);
  for (const cursor of ['', 'e30', ...cursors!.items.flatMap((item) => damaged(item, damage))]) {
    for (const parameter of ['after', 'before'] as const) {
      try {
        const result = await run({ [parameter]: cursor });
        for (const entity of result.entities) if (entities.length < 50) expect(seen).toContain(entity);
      } catch (error) {
        if (!(error instanceof BadParameterError)) throw error;
        expect(error.source).toEqual({ parameter: `page[${parameter}]` });
      }
    }
  }
}

/** A cursor with another character, and cursors whose parts are other values. */
function damaged(cursor: string, numbers: readonly number[]): readonly string[] {
  const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
  return numbers.flatMap((number) => {
    const at = number % cursor.length;
    const character = 'aZ0_-!='[number % 7]!;
    const other = OTHERS[number % OTHERS.length];
    const changed = parts.map((part, i) =>
      i === 1 + (number % Math.max(1, parts.length - 1)) ? other : part,
    );
    return [
      cursor.slice(0, at) + character + cursor.slice(at + 1),
      Buffer.from(JSON.stringify(changed)).toString('base64url'),
    ];
  });
}

const OTHERS = [
  ...['', '\0', '\ud800', 'zz', '1e999', '-0', 'NaN', '2024-13-45', '9'.repeat(400), "'; drop table x"],
  ...[0, -1, 1e308, 1e-308, 2 ** 60, true, null, [], {}, '10000-01-01T00:00:00Z', '0000-01-01'],
];

/** An entity in a language. */
export function rowName({ id, translation }: Entity): string {
  return `${id} ${translation ?? ''}`;
}
