import { BadParameterError } from '../util/errors.ts';
import type { Page } from './ast.ts';
import { isValues, leafNames, type QueryNode } from './query-string.ts';

export interface PagingRules {
  readonly pageSize: PageSize;
}

/** Option `pageSize`. */
export interface PageSize {
  readonly default: number;
  readonly max: number;
  /** Whether a limit of 0 returns everything; if not, it is a 400. */
  readonly unlimited: boolean;
}

/**
 * `page[offset]` and `page[limit]`. Source: Drupal: a limit that is no number is the default, a larger one the
 * greatest; fractions are cut; other members of `page` are sent in vain. Our own: 0 is everything.
 */
export function parsePage(node: QueryNode | undefined, rules: PagingRules, ignored: string[]): Page {
  if (node === undefined) return { offset: 0, limit: rules.pageSize.default };
  if (isValues(node)) {
    throw new BadParameterError('page', 'Write page[limit]=… and page[offset]=… instead of page=….');
  }
  for (const [key, part] of Object.entries(node)) {
    if (key !== 'offset' && key !== 'limit') ignored.push(...leafNames(part, ['page', key]));
  }
  return { offset: parseOffset(node.offset), limit: parseLimit(node.limit, rules, ignored) };
}

/** A limit that is known to be a number, held against the rules. */
export function boundLimit(
  limit: number,
  { pageSize: { max, unlimited } }: PagingRules,
  parameter: string,
): number {
  if (limit === 0 && unlimited) return Number.POSITIVE_INFINITY;
  if (limit < 1) {
    const all = unlimited ? ', or 0 for everything' : '';
    throw new BadParameterError(parameter, `A page holds 1 to ${max} entities${all}, not ${limit}.`);
  }
  return Math.min(Math.trunc(limit), max);
}

function parseLimit(node: QueryNode | undefined, rules: PagingRules, ignored: string[]): number {
  if (node === undefined) return rules.pageSize.default;
  const limit = isValues(node) ? limitOf(node.at(-1) ?? '', rules) : undefined;
  if (limit === undefined) {
    ignored.push(...leafNames(node, ['page', 'limit']));
    return rules.pageSize.default;
  }
  return boundLimit(limit, rules, 'page[limit]');
}

function parseOffset(node: QueryNode | undefined): number {
  if (node === undefined) return 0;
  const sent = isValues(node) ? (node.at(-1) ?? '') : 'a list';
  const offset = Math.trunc(leadingNumber(sent) ?? Number.NaN);
  if (offset >= 0 && offset <= Number.MAX_SAFE_INTEGER) return offset;
  throw new BadParameterError('page[offset]', `An offset is a whole number from 0, not '${sent}'.`);
}

/**
 * A text that only begins with a number is compared with the greatest limit as a text, as PHP does: `2;a` is 2, `5a` is
 * too much. It is no 0: whoever did not write 0 does not mean everything.
 */
function limitOf(sent: string, { pageSize }: PagingRules): number | undefined {
  const limit = leadingNumber(sent);
  if (limit === undefined || !/[^\s\d.e+-]/i.test(sent)) return limit;
  return sent > String(pageSize.max) || limit === 0 ? undefined : limit;
}

/** The number a text begins with, as PHP reads it: ` 3`, `1.5`, `1e1`. */
function leadingNumber(text: string): number | undefined {
  const match = /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?/i.exec(text);
  return match === null ? undefined : Number(match[0]);
}
