import {
  type FormCondition,
  type FormGroup,
  type FormNode,
  isComplete,
  type QueryForm,
  ROOT_ID,
  valueCount,
} from './query-form.ts';

/** A query string with, for each parameter in it, the input of the form that it comes from. */
export interface WrittenQuery {
  /** `filter[title]=x&sort=-changed`, percent-encoded but for brackets and other readable characters. */
  readonly query: string;
  /** Input key by full parameter name: `search`, `condition-3-value`, `group-2`, `sort-0`, `include`, `fields-node--x`, `offset`, `limit`. */
  readonly inputs: ReadonlyMap<string, string>;
}

/** The query string of a form; incomplete conditions, empty groups and inputs left empty are not in it. */
export function writeQuery(form: QueryForm): WrittenQuery {
  const parameters: Parameter[] = [];
  if (form.search !== '') parameters.push({ name: 'filter[fulltext]', value: form.search, input: 'search' });
  parameters.push(...filterParameters(form.filter));
  const sort = form.sort.map((key, index) => ({ ...key, index })).filter((key) => isPath(key.path));
  if (sort.length > 0) {
    const value = sort.map((key) => (key.direction === 'DESC' ? `-${key.path}` : key.path)).join(',');
    parameters.push({ name: 'sort', value, input: `sort-${sort[0]?.index ?? 0}` });
  }
  if (form.include.length > 0)
    parameters.push({ name: 'include', value: form.include.join(','), input: 'include' });
  for (const [type, names] of form.fields) {
    if (names.length > 0) {
      parameters.push({ name: `fields[${type}]`, value: names.join(','), input: `fields-${type}` });
    }
  }
  if (form.offset !== '') parameters.push({ name: 'page[offset]', value: form.offset, input: 'offset' });
  if (form.limit !== '') parameters.push({ name: 'page[limit]', value: form.limit, input: 'limit' });
  return {
    query: parameters.map((parameter) => `${encode(parameter.name)}=${encode(parameter.value)}`).join('&'),
    inputs: new Map(parameters.map((parameter) => [parameter.name, parameter.input])),
  };
}

/** Text for a query string: encoded where a parser would misread it, and nowhere else. */
export function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(?:5B|5D|2C|3A|2F|40|24)/g, (code) => decodeURIComponent(code))
    .replace(/'/g, '%27');
}

interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly input: string;
}

function filterParameters(root: FormGroup): readonly Parameter[] {
  const short = shortPaths(root);
  const taken = new Set(short);
  const label = (letter: string, number: { next: number }): string => {
    let name: string;
    do name = `${letter}${number.next++}`;
    while (taken.has(name));
    return name;
  };
  const conditions = { next: 1 };
  const groups = { next: 1 };

  function write(node: FormNode, memberOf: string | undefined): readonly Parameter[] {
    if (node.kind === 'condition') {
      if (!isComplete(node)) return [];
      if (memberOf === undefined && short.has(node.path)) return shortParameters(node);
      const start = `filter[${label('c', conditions)}][condition]`;
      return [
        parameter(node, 'path', `${start}[path]`, node.path),
        ...(node.operator === '=' ? [] : [parameter(node, 'operator', `${start}[operator]`, node.operator)]),
        ...valueParameters(node, `${start}[value]`),
        ...(memberOf === undefined ? [] : [parameter(node, 'path', `${start}[memberOf]`, memberOf)]),
      ];
    }
    if (node.id === ROOT_ID) return node.members.flatMap((member) => write(member, undefined));
    if (!hasComplete(node)) return [];
    const name = label('g', groups);
    const start = `filter[${name}][group]`;
    return [
      { name: `${start}[conjunction]`, value: node.conjunction, input: `group-${node.id}` },
      ...(memberOf === undefined
        ? []
        : [{ name: `${start}[memberOf]`, value: memberOf, input: `group-${node.id}` }]),
      ...node.members.flatMap((member) => write(member, name)),
    ];
  }
  return write(root, undefined);
}

/** Paths that one root condition alone has, so that `filter[path]` can stand for it; it must have a value. */
function shortPaths(root: FormGroup): ReadonlySet<string> {
  const short = new Set<string>();
  const seen = new Set<string>();
  for (const member of root.members) {
    if (member.kind !== 'condition' || !isComplete(member)) continue;
    const { path, operator } = member;
    if (!seen.has(path) && isPlainName(path) && valueCount(operator) !== 'none') short.add(path);
    else short.delete(path);
    seen.add(path);
  }
  return short;
}

// `filter[fulltext]` is a search, and `@root` and brackets would be read as something else than a path.
function isPlainName(path: string): boolean {
  return path !== 'fulltext' && /^[\w.-]+$/.test(path);
}

function shortParameters(condition: FormCondition): readonly Parameter[] {
  const start = `filter[${condition.path}]`;
  if (condition.operator === '=') return [parameter(condition, 'value', start, condition.values[0] ?? '')];
  return [
    parameter(condition, 'operator', `${start}[operator]`, condition.operator),
    ...valueParameters(condition, `${start}[value]`),
  ];
}

function valueParameters(condition: FormCondition, start: string): readonly Parameter[] {
  switch (valueCount(condition.operator)) {
    case 'none':
      return [];
    case 'one':
      return [parameter(condition, 'value', start, condition.values[0] ?? '')];
    case 'two':
    case 'many':
      return condition.values.map((value) => parameter(condition, 'value', `${start}[]`, value));
  }
}

function parameter(
  condition: FormCondition,
  part: 'path' | 'operator' | 'value',
  name: string,
  value: string,
): Parameter {
  return { name, value, input: `condition-${condition.id}-${part}` };
}

function hasComplete(node: FormNode): boolean {
  return node.kind === 'condition' ? isComplete(node) : node.members.some(hasComplete);
}

function isPath(path: string): boolean {
  return path !== '' && !path.endsWith('.');
}
