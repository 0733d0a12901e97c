import type { ResourceType } from '../content/model.ts';
import { type Condition, type FilterNode, type Group, SEARCH_PATH, type Search } from '../engine/ast.ts';
import { type AsOption, asCode } from './as-option.ts';
import { entitiesCall } from './query-errors.ts';

import type { QuerySpec } from './query-spec.ts';

/** The query as code on one line; `end` is the method that runs it. */
export function queryCall(spec: QuerySpec, end: string): string {
  const { filter, sort, page, include, fields = [] } = spec;
  const limit = Number.isFinite(page.limit) ? [`limit: ${page.limit}`] : [];
  const offset = page.offset > 0 ? [`offset: ${page.offset}`] : [];
  return [
    entitiesCall(spec),
    ...filter.map((node) => (node.kind === 'group' ? `where(() => ${expression(node)})` : expression(node))),
    ...listCall('sort', sort.map(sortText)),
    ...listCall('include', include),
    ...listCall('fields', fields),
    ...(limit.length + offset.length > 0 ? [`page({ ${[...offset, ...limit].join(', ')} })`] : []),
    end,
  ].join('.');
}

export function jsonapiCall(url: string, options: AsOption): string {
  return `jsonapi(${quote(url)}${asCode(options)})`;
}

/** The path of the query below `/jsonapi`. */
export function queryPath(type: ResourceType, { filter, sort, page, include, fields }: QuerySpec): string {
  const parameters = [
    ...filterParameters(filter),
    ...(sort.length > 0 ? [parameter('sort', sort.map(sortText).join(','))] : []),
    ...(include.length > 0 ? [parameter('include', include.join(','))] : []),
    ...(fields ? [parameter(`fields[${type.name}]`, fields.join(','))] : []),
    ...(page.offset > 0 ? [parameter('page[offset]', page.offset)] : []),
    ...(Number.isFinite(page.limit) && page.limit > 0 ? [parameter('page[limit]', page.limit)] : []),
  ];
  const path = `/${encodeURIComponent(type.entityType)}/${encodeURIComponent(type.bundle)}`;
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

/** `filter[path]=value` for the only equality on a path, numbered conditions and groups for everything else. */
function filterParameters(root: readonly FilterNode[]): readonly string[] {
  const short = new Set<string>();
  let number = 0;

  function write(node: FilterNode, memberOf: string | undefined): readonly string[] {
    number += 1;
    const label = `${node.kind === 'group' ? 'g' : 'c'}${number}`;
    const start = `filter[${label}][${node.kind === 'group' ? 'group' : 'condition'}]`;
    const above = memberOf === undefined ? [] : [parameter(`${start}[memberOf]`, memberOf)];
    if (node.kind === 'group') {
      const conjunction = parameter(`${start}[conjunction]`, node.conjunction);
      return [conjunction, ...above, ...node.members.flatMap((member) => write(member, label))];
    }
    const { path, operator, value } = node.kind === 'search' ? searchCondition(node) : node;
    if (memberOf === undefined && operator === '=' && !Array.isArray(value) && !short.has(path)) {
      short.add(path);
      return [parameter(`filter[${path}]`, String(value))];
    }
    const values = Array.isArray(value) ? value : value === null ? [] : [value];
    return [
      parameter(`${start}[path]`, path),
      ...(operator === '=' ? [] : [parameter(`${start}[operator]`, operator)]),
      ...values.map((each) => parameter(`${start}[value]${Array.isArray(value) ? '[]' : ''}`, each)),
      ...above,
    ];
  }

  return root.flatMap((node) => write(node, undefined));
}

function searchCondition({ text }: Search): Condition {
  return { kind: 'condition', path: SEARCH_PATH, operator: '=', value: text };
}

function parameter(name: string, value: string | number | boolean): string {
  return `${name}=${encodeURIComponent(String(value))}`;
}

function whereCall({ path, operator, value }: Condition): string {
  const values = value === null ? [] : [JSON.stringify(value)];
  return `where(${[quote(path), quote(operator), ...values].join(', ')})`;
}

function expression(node: FilterNode): string {
  switch (node.kind) {
    case 'condition':
      return whereCall(node);
    case 'search':
      return `search(${quote(node.text)})`;
    case 'group':
      return groupCall(node);
    default:
      return node satisfies never;
  }
}

function groupCall({ conjunction, members }: Group): string {
  return `${conjunction.toLowerCase()}(${members.map(expression).join(', ')})`;
}

function listCall(name: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${name}(${items.map(quote).join(', ')})`];
}

function sortText({ path, direction }: QuerySpec['sort'][number]): string {
  return direction === 'DESC' ? `-${path}` : path;
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
