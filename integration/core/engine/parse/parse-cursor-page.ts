import { BadParameterError } from '../../util/errors.ts';
import type { Page } from '../ast.ts';
import { type PagingRules, parsePage } from './parse-query.ts';
import { ignoreOthers, isValues, lastValue, type QueryTree } from './query-string.ts';

/** The profile of JSON:API for pages between cursors. Source: jsonapi.org, profile "Cursor Pagination". */
export const CURSOR_PROFILE = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/';

/**
 * Parses `page[size]`, `page[after]` and `page[before]` if a cursor is sent, or if the client asks for the profile (`always`) and
 * for no other way to page; else like `parsePage`. Throws BadParameterError.
 */
export function pageParser(always: boolean): typeof parsePage {
  return (sent, rules, ignored) => {
    const node = sent ?? (always ? {} : undefined);
    if (node === undefined || isValues(node)) return parsePage(node, rules, ignored);
    const other = ['offset', 'limit', 'number'].find((name) => node[name] !== undefined);
    const cursor = ['after', 'before'].find((name) => node[name] !== undefined);
    if (cursor === undefined && (!always || other !== undefined)) return parsePage(node, rules, ignored);
    if (other === undefined) return parseCursorPage(node, rules, ignored);
    throw new BadParameterError(
      `page[${cursor}]`,
      `page[${cursor}] and page[${other}] cannot be combined. Send cursors with page[size].`,
    );
  };
}

/** Between two cursors, a page has the maximum size by default. */
function parseCursorPage(node: QueryTree, { pageSize }: PagingRules, ignored: string[]): Page {
  const { size, after, before } = node;
  ignoreOthers(node, ['page'], ['size', 'after', 'before'], ignored);
  const isRange = after !== undefined && before !== undefined;
  return {
    offset: 0,
    limit: size === undefined ? pageSize[isRange ? 'max' : 'default'] : parseSize(size, pageSize.max),
    cursors: {
      ...(after !== undefined && { after: lastValue(after) ?? '' }),
      ...(before !== undefined && { before: lastValue(before) ?? '' }),
    },
  };
}

function parseSize(node: QueryTree[string], max: number): number {
  const value = isValues(node) ? (node.at(-1) ?? '') : 'a list';
  const size = /^\d+$/.test(value) ? Number(value) : 0;
  if (size < 1) {
    throw new BadParameterError('page[size]', `page[size] must be a positive integer, not '${value}'.`);
  }
  if (size <= max) return size;
  throw new BadParameterError('page[size]', `A page holds ${max} entities at most, not ${value}.`, {
    type: `${CURSOR_PROFILE}max-size-exceeded`,
    meta: { page: { maxSize: max } },
  });
}
