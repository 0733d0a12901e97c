import {
  emptyForm,
  type FormGroup,
  type FormNode,
  type FormSort,
  type QueryForm,
  ROOT_ID,
  valueCount,
} from './query-form.ts';
import type { ExplorerSchema } from './schema.ts';

/** A part of a URL that the form cannot hold. */
export interface UrlProblem {
  /** The parameter's full name; empty where the path itself is at fault. */
  readonly parameter: string;
  readonly message: string;
}

export interface ReadUrl {
  /** What could be read; undefined where the path names no collection of the schema. */
  readonly form: QueryForm | undefined;
  /** Input key by parameter name, as `WrittenQuery.inputs`. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly problems: readonly UrlProblem[];
}

/**
 * Reads an API path with its query, `/node/article?filter[title]=x`, into a form. Nothing is dropped in
 * silence: whatever the form has no place for is a problem, and the rest is read.
 */
export function readPath(schema: ExplorerSchema, path: string): ReadUrl {
  const mark = path.indexOf('?');
  const pathname = (mark < 0 ? path : path.slice(0, mark)).replace(/(?<!\/)\/+$/, '');
  const [, entityType, bundle, ...rest] = pathname.split('/').map(decode);
  const type = schema.types.find((known) => known.entityType === entityType && known.bundle === bundle);
  const nothing = { form: undefined, inputs: new Map<string, string>() };
  if (pathname === '') {
    const message =
      'This is the entry point, which links all collections. The form cannot show it; it can be run.';
    return { ...nothing, problems: [{ parameter: '', message }] };
  }
  if (type === undefined) {
    const message = `No collection of this site has the path "${pathname}".`;
    return { ...nothing, problems: [{ parameter: '', message }] };
  }
  if (rest.length > 0) {
    const message = `"${pathname}" is one resource, not a collection, so the form cannot show it. It can still be run.`;
    return { ...nothing, problems: [{ parameter: '', message }] };
  }
  return readQuery(emptyForm(type.name), mark < 0 ? '' : path.slice(mark + 1));
}

/**
 * The API path in a pasted URL, `/node/article?…`: a URL under the API, whatever its host (`localhost` and
 * `127.0.0.1` are often the same site), or such a path without base and prefix; `/` for the entry point.
 * Undefined where it is of another place.
 */
export function apiPath(text: string, base: string): string | undefined {
  const prefix = `${base}/jsonapi`;
  let [rest = ''] = text
    .trim()
    .replace(/^(?:GET|get)\s+/, '')
    .split('#', 1);
  const [site] = /^https?:\/\/[^/?]+/i.exec(rest) ?? [];
  rest = rest.slice(site?.length ?? 0);
  if (rest === prefix || rest === `${prefix}/`) return '/';
  if (rest.startsWith(`${prefix}/`) || rest.startsWith(`${prefix}?`)) return rest.slice(prefix.length);
  if (site !== undefined) return undefined;
  return rest.startsWith('/') && !rest.startsWith('//') && !rest.startsWith(`${base}/api/`)
    ? rest
    : undefined;
}

interface Filter {
  path?: string;
  operator?: string;
  values: string[];
  conjunction?: string;
  memberOf?: string;
  kind: 'short' | 'condition' | 'group';
  /** Parameters read into it, with the part of the form each is. */
  parameters: { readonly name: string; readonly part: 'path' | 'operator' | 'value' }[];
}

function readQuery(start: QueryForm, query: string): ReadUrl {
  const filters = new Map<string, Filter>();
  const sorts = new Map<string, { path?: string; direction?: string }>();
  const inputs = new Map<string, string>();
  const problems: UrlProblem[] = [];
  const fields = new Map<string, readonly string[]>();
  let form: QueryForm = start;
  let sort: readonly FormSort[] = [];

  for (const [name, value] of parameters(query)) {
    const [family = '', ...keys] = nameKeys(name);
    const problem = (message: string): number => problems.push({ parameter: name, message });
    const [key = ''] = keys;
    if (family === 'filter' && keys.length === 1 && key === 'fulltext') {
      form = { ...form, search: value };
      inputs.set(name, 'search');
    } else if (family === 'filter' && keys.length > 0) {
      const message = addFilter(filters, keys, name, value);
      if (message !== undefined) problem(message);
    } else if (family === 'sort' && keys.length === 0) {
      sort = names(value).map(sortKey);
      inputs.set(name, 'sort-0');
    } else if (family === 'sort' && keys.length === 2 && (keys[1] === 'path' || keys[1] === 'direction')) {
      sorts.set(key, { ...sorts.get(key), [keys[1]]: value });
      inputs.set(name, `sort-${[...sorts.keys()].indexOf(key)}`);
    } else if (family === 'include' && keys.length === 0) {
      form = { ...form, include: [...new Set(names(value))] };
      inputs.set(name, 'include');
    } else if (family === 'fields' && keys.length === 1) {
      fields.set(key, names(value));
      inputs.set(name, `fields-${key}`);
    } else if (family === 'page' && keys.length === 1 && (key === 'offset' || key === 'limit')) {
      form = { ...form, [key]: value };
      inputs.set(name, key);
    } else problem(`The form has no place for the parameter "${name}".`);
  }
  for (const { path, direction } of sorts.values()) {
    sort = [...sort, { path: path ?? '', direction: direction?.toUpperCase() === 'DESC' ? 'DESC' : 'ASC' }];
  }
  const filter = buildTree(filters, inputs, problems);
  return { form: { ...form, filter, sort, fields }, inputs, problems };
}

/** Puts one `filter[…]` parameter in its place; answers why it has none. */
function addFilter(
  filters: Map<string, Filter>,
  keys: readonly string[],
  name: string,
  value: string,
): string | undefined {
  const [id = '', second, third] = keys;
  const kind = second === 'condition' || second === 'group' ? second : 'short';
  const part = kind === 'short' ? (isIndex(second) ? 'value' : (second ?? 'value')) : third;
  const known = filters.get(id);
  if (known !== undefined && known.kind !== kind) {
    return `"${id}" is written both as a ${known.kind} filter and as a ${kind} filter.`;
  }
  const filter: Filter = known ?? { kind, values: [], parameters: [] };
  const more = keys.slice(kind === 'short' ? (isIndex(second) ? 1 : 2) : 3);
  const parts = kind === 'group' ? GROUP_PARTS : CONDITION_PARTS;
  if (
    part === undefined ||
    !parts.has(part) ||
    (kind === 'short' && (part === 'path' || part === 'memberOf'))
  ) {
    return `"${name}" is not a part of a filter.`;
  }
  if (part === 'value' ? more.length > 1 || !more.every(isIndex) : more.length > 0) {
    return `"${name}" has more brackets than a filter has.`;
  }
  filters.set(id, filter);
  if (part === 'value') {
    filter.values.push(value);
    filter.parameters.push({ name, part });
  } else {
    if (part === 'path') filter.path = value;
    else if (part === 'operator') filter.operator = value;
    else if (part === 'conjunction') filter.conjunction = value;
    else filter.memberOf = value;
    filter.parameters.push({ name, part: part === 'operator' ? 'operator' : 'path' });
  }
  if (kind === 'short') filter.path = id;
  return undefined;
}

function buildTree(
  filters: ReadonlyMap<string, Filter>,
  inputs: Map<string, string>,
  problems: UrlProblem[],
): FormGroup {
  let id = ROOT_ID;
  const placed = new Set<string>();

  function membersOf(group: string | undefined): readonly FormNode[] {
    const members: FormNode[] = [];
    for (const [name, filter] of filters) {
      const memberOf = filter.memberOf === '@root' ? undefined : filter.memberOf;
      if (memberOf !== group || placed.has(name)) continue;
      placed.add(name);
      members.push(filter.kind === 'group' ? groupNode(name, filter) : conditionNode(filter));
    }
    return members;
  }
  function groupNode(name: string, filter: Filter): FormGroup {
    const own = ++id;
    const conjunction = filter.conjunction?.toUpperCase() === 'OR' ? 'OR' : 'AND';
    if (filter.conjunction !== undefined && filter.conjunction.toUpperCase() !== conjunction) {
      const message = `A group joins by AND or OR, not by "${filter.conjunction}".`;
      problems.push({ parameter: `filter[${name}][group][conjunction]`, message });
    }
    for (const parameter of filter.parameters) inputs.set(parameter.name, `group-${own}`);
    return { kind: 'group', id: own, conjunction, members: membersOf(name) };
  }
  function conditionNode(filter: Filter): FormNode {
    const own = ++id;
    const operator = filter.operator ?? '=';
    for (const { name, part } of filter.parameters) inputs.set(name, `condition-${own}-${part}`);
    const last = filter.values.at(-1);
    const values = valueCount(operator) === 'one' ? (last === undefined ? [] : [last]) : filter.values;
    return { kind: 'condition', id: own, path: filter.path ?? '', operator, values };
  }

  const members = membersOf(undefined);
  for (const [name, filter] of filters) {
    if (placed.has(name)) continue;
    const message = `"${name}" is a member of the group "${filter.memberOf}", which is not in the URL or is inside itself.`;
    problems.push({ parameter: `filter[${name}][${filter.kind}][memberOf]`, message });
  }
  return { kind: 'group', id: ROOT_ID, conjunction: 'AND', members };
}

/** Names and values of a query string, decoded, in order. */
function parameters(query: string): readonly (readonly [string, string])[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = equals < 0 ? pair : pair.slice(0, equals);
      return [decode(plus(name)), equals < 0 ? '' : decode(plus(pair.slice(equals + 1)))];
    });
}

/** `filter[a][b]` as `['filter', 'a', 'b']`; a name with unpaired brackets stays one key. */
function nameKeys(name: string): readonly string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match === null) return [name];
  return [match[1] ?? '', ...[...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map((key) => key[1] ?? '')];
}

function names(value: string): readonly string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function sortKey(text: string): FormSort {
  return text.startsWith('-') ? { path: text.slice(1), direction: 'DESC' } : { path: text, direction: 'ASC' };
}

function isIndex(key: string | undefined): boolean {
  return key !== undefined && /^\d*$/.test(key);
}

function plus(text: string): string {
  return text.replaceAll('+', ' ');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const CONDITION_PARTS: ReadonlySet<string> = new Set(['path', 'operator', 'value', 'memberOf']);
const GROUP_PARTS: ReadonlySet<string> = new Set(['conjunction', 'memberOf']);
