import type { FilterNode, Group } from '../engine/ast.ts';
import { DEFAULT_LIMITS } from '../engine/limits.ts';
import { parseFilter } from '../engine/parse-filter.ts';
import type { QueryNode, QueryTree } from '../engine/query-string.ts';
import { BadParameterError } from '../util/errors.ts';
import type { FilterData } from './role.ts';

/**
 * The filter of a role by the very grammar of `filter[…]`. Throws BadParameterError for what is none, and for what a
 * query would only pass over.
 */
export function parseRoleFilter(data: FilterData): Group {
  const ignored: string[] = [];
  const group = parseFilter(treeOf(data), { commaLists: false, limits: DEFAULT_LIMITS }, ignored);
  const [stray] = ignored;
  if (stray !== undefined) throw new BadParameterError(stray, `${stray} is no part of a filter.`);
  if (group.members.length === 0) throw new BadParameterError('filter', 'The filter is empty.');
  const search = group.members.find(hasSearch);
  if (search !== undefined)
    throw new BadParameterError('filter', 'A role cannot search: leave fulltext out.');
  return group;
}

/** Every value is a text in a list, as a query string has them. */
function treeOf(data: object): QueryTree {
  const tree: Record<string, QueryNode> = Object.create(null);
  for (const [key, value] of Object.entries(data)) {
    const part: unknown = value;
    if (typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) {
      tree[key] = [String(part)];
    } else if (typeof part === 'object' && part !== null) {
      tree[key] = treeOf(part);
    } else {
      throw new BadParameterError(key, `${key} is no text, number, boolean, list or object.`);
    }
  }
  return tree;
}

function hasSearch(node: FilterNode): boolean {
  return node.kind === 'search' || (node.kind === 'group' && node.members.some(hasSearch));
}
