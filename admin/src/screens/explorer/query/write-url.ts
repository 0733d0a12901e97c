import {
  type FormCondition,
  type FormGroup,
  type FormNode,
  isComplete,
  isPath,
  type QueryForm,
  valueCount,
} from './form.ts';

/** A query string, and the key of the input that wrote each of its parameters. */
export interface WrittenQuery {
  /** `filter[title]=x&sort=-changed`; brackets and other readable characters are not percent-encoded. */
  readonly query: string;
  readonly inputs: ReadonlyMap<string, string>;
}

/** The query string of a form, without empty inputs and unfinished conditions. */
export function writeQuery(form: QueryForm): WrittenQuery {
  const pairs: string[] = [];
  const inputs = new Map<string, string>();
  const add = (name: string, value: string, input: string, owner = name): void => {
    pairs.push(`${encode(name)}=${encode(value)}`);
    inputs.set(owner, input);
  };
  if (form.search !== '') add('filter[fulltext]', form.search, 'search');
  writeFilter(form.filter, add);
  const sort = form.sort.map((key, index) => ({ ...key, index })).filter(({ path }) => isPath(path));
  if (sort.length > 0) {
    const keys = sort.map(({ path, direction }) => (direction === 'DESC' ? `-${path}` : path));
    add('sort', keys.join(','), `sort-${sort[0]?.index}`);
  }
  if (form.include.length > 0) add('include', form.include.join(','), 'include');
  for (const [type, names] of Object.entries(form.fields)) {
    if (names.length > 0) add(`fields[${type}]`, names.join(','), `fields-${type}`);
  }
  if (form.offset !== '') add('page[offset]', form.offset, 'offset');
  if (form.limit !== '') add('page[limit]', form.limit, 'limit');
  return { query: pairs.join('&'), inputs };
}

type Add = (name: string, value: string, input: string, owner?: string) => void;

function writeFilter(root: FormGroup, add: Add): void {
  const short = shortPaths(root);
  const counts = { c: 0, g: 0 };
  const label = (letter: 'c' | 'g'): string => {
    const name = `${letter}${++counts[letter]}`;
    return short.has(name) ? label(letter) : name;
  };

  const writeCondition = (condition: FormCondition, memberOf: string | undefined): void => {
    const { path, operator, values, id } = condition;
    const isShort = memberOf === undefined && short.has(path);
    const start = isShort ? `filter[${path}]` : `filter[${label('c')}][condition]`;
    const addPart = (part: string, value: string): void => add(start + part, value, `condition-${id}`, start);
    if (!isShort) addPart('[path]', path);
    if (operator !== '=') addPart('[operator]', operator);
    const part = valueCount(operator) === 'one' ? '[value]' : '[value][]';
    for (const value of values) addPart(isShort && operator === '=' ? '' : part, value);
    if (memberOf !== undefined) addPart('[memberOf]', memberOf);
  };

  const write = (node: FormNode, memberOf: string | undefined): void => {
    if (node.kind === 'condition') {
      if (isComplete(node)) writeCondition(node, memberOf);
      return;
    }
    if (!isUsed(node)) return;
    const name = label('g');
    const start = `filter[${name}][group]`;
    add(`${start}[conjunction]`, node.conjunction, `group-${node.id}`, start);
    if (memberOf !== undefined) add(`${start}[memberOf]`, memberOf, `group-${node.id}`, start);
    for (const member of node.members) write(member, name);
  };
  for (const member of root.members) write(member, undefined);
}

/** Paths that a single condition of the root uses, with a value: `filter[path]` is enough for these. */
function shortPaths({ members }: FormGroup): ReadonlySet<string> {
  const conditions = members.filter((member) => member.kind === 'condition').filter(isComplete);
  const isOnly = (path: string): boolean => conditions.filter((other) => other.path === path).length === 1;
  const short = conditions.filter(
    ({ path, values }) => values.length > 0 && isOnly(path) && isPlainName(path),
  );
  return new Set(short.map(({ path }) => path));
}

/** `filter[fulltext]` is a search; brackets and `@root` have a meaning of their own. */
function isPlainName(path: string): boolean {
  return path !== 'fulltext' && /^[\w.-]+$/.test(path);
}

function isUsed(node: FormNode): boolean {
  return node.kind === 'condition' ? isComplete(node) : node.members.some(isUsed);
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(?:5B|5D|2C|3A|2F|40|24)/g, decodeURIComponent)
    .replaceAll("'", '%27');
}
