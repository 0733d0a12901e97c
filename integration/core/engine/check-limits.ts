import type { FilterNode, SortKey } from './ast.ts';
import { checkIncludePaths, checkLimit, type Limits } from './limits.ts';

/** Checks a query that was not parsed from a query string. Throws BadParameterError. */
export function checkLimits(
  query: {
    readonly filter: readonly FilterNode[];
    readonly sort: readonly SortKey[];
    readonly include: readonly string[];
  },
  limits: Limits,
): void {
  let conditions = 0;
  function check(node: FilterNode, depth: number, above: string): void {
    const parameter = firstParameter(node) ?? above;
    if (node.kind === 'group') {
      checkLimit('groupDepth', depth + 1, parameter, limits);
      for (const member of node.members) check(member, depth + 1, parameter);
      return;
    }
    conditions += 1;
    checkLimit('conditions', conditions, parameter, limits);
    if (node.kind === 'condition' && Array.isArray(node.value)) {
      checkLimit('listValues', node.value.length, parameter, limits);
    }
  }
  for (const node of query.filter) check(node, 0, 'where(…)');
  checkIncludePaths(query.include, limits);
  checkLimit('sortKeys', query.sort.length, query.sort.at(-1)?.parameter ?? 'sort', limits);
}

function firstParameter(node: FilterNode): string | undefined {
  if (node.kind !== 'group') return node.parameter;
  const [first] = node.members;
  return first && firstParameter(first);
}
