import { BadParameterError } from '../util/errors.ts';
import type { Page } from './ast.ts';
import { isValues, leafNames, type QueryNode } from './query-string.ts';

export interface PagingRules {
  /** Default and greatest page size. */
  readonly maxPageSize: number;
  /** Whether a limit of 0 answers everything; else it is a 400. */
  readonly allowUnlimitedPage: boolean;
}

/**
 * `page[offset]` and `page[limit]`. Source: Drupal: a limit that is not a number is the default, a larger one the
 * greatest, an empty one a 400; fractions are cut; other members of `page` are sent in vain. Our own: 0 is everything.
 */
export function parsePage(node: QueryNode | undefined, rules: PagingRules, ignored: string[]): Page {
  if (node === undefined) return { offset: 0, limit: rules.maxPageSize };
  if (isValues(node)) {
    throw new BadParameterError('page', 'Write page[limit]=… and page[offset]=… instead of page=….');
  }
  for (const [key, part] of Object.entries(node)) {
    if (key !== 'offset' && key !== 'limit') ignored.push(...leafNames(part, ['page', key]));
  }
  return { offset: parseOffset(node.offset), limit: parseLimit(node.limit, rules, ignored) };
}

/** A limit that is known to be a number, held against the rules. */
export function boundLimit(limit: number, rules: PagingRules, parameter: string): number {
  if (limit === 0 && rules.allowUnlimitedPage) return Number.POSITIVE_INFINITY;
  if (limit < 1) {
    const all = rules.allowUnlimitedPage ? ', or 0 for everything' : '';
    throw new BadParameterError(
      parameter,
      `A page holds 1 to ${rules.maxPageSize} entities${all}, not ${limit}.`,
    );
  }
  return Math.min(Math.trunc(limit), rules.maxPageSize);
}

function parseLimit(node: QueryNode | undefined, rules: PagingRules, ignored: string[]): number {
  if (node === undefined) return rules.maxPageSize;
  const sent = isValues(node) ? node.at(-1) : undefined;
  if (sent === '')
    throw new BadParameterError('page[limit]', 'page[limit] is empty. Send a number, or leave it out.');
  const limit = sent === undefined ? undefined : limitOf(sent, rules);
  if (limit === undefined) {
    ignored.push(...leafNames(node, ['page', 'limit']));
    return rules.maxPageSize;
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
function limitOf(sent: string, { maxPageSize }: PagingRules): number | undefined {
  const limit = leadingNumber(sent);
  if (limit === undefined || !/[^\s\d.e+-]/i.test(sent)) return limit;
  return sent > String(maxPageSize) || limit === 0 ? undefined : limit;
}

/** The number a text begins with, as PHP reads it: ` 3`, `1.5`, `1e1`. */
function leadingNumber(text: string): number | undefined {
  const match = /^\s*[+-]?\d+(\.\d+)?(e[+-]?\d+)?/i.exec(text);
  return match === null ? undefined : Number(match[0]);
}
