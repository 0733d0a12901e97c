import { BadParameterError } from '../../util/errors.ts';
import { digestText } from '../../util/revision.ts';
import type { EngineQuery, QueryAccess } from '../engine.ts';
import { CURSOR_PROFILE } from '../parse/parse-cursor-page.ts';
import type { Raw } from '../store/ordering.ts';
import { coerce } from './coerce.ts';
import { leafOf } from './resolve-key.ts';
import type { ResolvedSort } from './resolve-sort.ts';

/** A position in a sorted list: that of an entity with these sort keys, whether it exists or not. */
export interface Place {
  /** By sort key; null for a missing value. */
  readonly keys: readonly (Raw | null)[];
  readonly id: string;
}

/** The cursors of a list, which are places as opaque text. */
export interface Cursors {
  readonly after: Place | undefined;
  readonly before: Place | undefined;
  /** True for a page before a cursor: it has the last entities of the range. */
  readonly isLast: boolean;
  /** Throws BadParameterError for values that are too long for a URL. */
  write(place: Place): string;
}

/**
 * Reads the cursors of a query on one type. A cursor has the sort keys and the id of an entity, and a digest of what the order
 * and the entities of the list depend on. Throws BadParameterError for a cursor of another list, for any other text, and for a
 * list by relevance, which has no order that lasts.
 */
export function createCursors(
  { name }: { readonly name: string },
  { filter, sort: sent, page: { cursors = {} } }: EngineQuery,
  sort: readonly ResolvedSort[],
  isRanked: boolean,
  { languages, strict }: Pick<QueryAccess, 'languages' | 'strict'>,
): Cursors {
  if (isRanked) throw unsupportedSort('Results by relevance have no cursors. Send `sort` too.');
  const order = sent.map(({ path, direction }) => [path, direction]);
  // The same filter can be sent under several names of parameters.
  const list = JSON.stringify([name, filter, order, languages, strict], (key, value: unknown) =>
    key === 'parameter' ? undefined : value,
  );
  const digest = digestText(list);

  function read(parameter: 'after' | 'before'): Place | undefined {
    const cursor = cursors[parameter];
    if (cursor === undefined) return undefined;
    let parts: readonly unknown[] | undefined;
    try {
      parts = decode(cursor);
      if (parts[0] === digest) return placeOf(parts.slice(1), sort);
    } catch (cause) {
      throw badCursor(parameter, 'This is not a cursor', cause);
    }
    throw badCursor(parameter, 'The cursor is from a list with another filter, sort or language');
  }

  const [after, before] = [read('after'), read('before')];
  return {
    after,
    before,
    isLast: before !== undefined && after === undefined,
    write({ keys, id }) {
      const cursor = encode([digest, id, ...keys]);
      if (cursor.length <= MAX_CURSOR) return cursor;
      throw unsupportedSort('The values of this sort are too long for cursors. Sort by another field.');
    },
  };
}

/** Throws an Error if these are not the parts of a place of this sort. */
function placeOf([id, ...keys]: readonly unknown[], sort: readonly ResolvedSort[]): Place {
  if (typeof id !== 'string' || keys.length !== sort.length) throw new Error('Other parts.');
  return {
    id,
    keys: sort.map(({ key, path }, i) => {
      const value = keys[i] ?? null;
      if (value === null) return null;
      const kind = leafOf(key)?.slot.kind;
      if (kind === undefined || typeof value === 'object') throw new Error(`${path} has no such values.`);
      const operand = coerce({ kind: 'condition', path, operator: '>', value: value as Raw }, kind, false);
      const raw = operand.kind === 'compare' ? operand.value : undefined;
      if (raw === undefined) throw new Error(`Not a value of ${path}.`);
      return raw;
    }),
  };
}

/** Characters of a cursor. A query may have 8192 by default. */
const MAX_CURSOR = 2000;

/** Base64 for URLs of JSON in ASCII. */
function encode(parts: readonly unknown[]): string {
  const json = JSON.stringify(parts).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(json).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws an Error for other texts. */
function decode(cursor: string): readonly unknown[] {
  const parts: unknown = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
  if (Array.isArray(parts)) return parts;
  throw new Error('Not an array.');
}

function badCursor(parameter: string, problem: string, cause?: unknown): BadParameterError {
  return new BadParameterError(
    `page[${parameter}]`,
    `${problem}. Take it from a link or from \`meta.page.cursor\` of a response to this query, or start with the first page.`,
    { cause },
  );
}

function unsupportedSort(detail: string): BadParameterError {
  return new BadParameterError('sort', detail, { type: `${CURSOR_PROFILE}unsupported-sort` });
}
