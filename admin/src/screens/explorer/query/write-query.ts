import {
  type FormattedQuery,
  facetParameters,
  formatCalls,
  formatParameters,
  quote,
} from '../../../../../integration/core/builder/format-query.ts';
import type { FieldKind } from '../../../../../integration/core/content/model.ts';
import {
  type Condition,
  FACETS_PARAMETER,
  type FilterNode,
  type Scalar,
  type Search,
  type SortKey,
} from '../../../../../integration/core/engine/ast.ts';
import { bundleNamed, type Schema } from '../../../api/schema.ts';
import { pathTarget } from './field-paths.ts';
import {
  type FormCondition,
  type FormGroup,
  isComplete,
  isPath,
  type QueryForm,
  valueCount,
} from './form.ts';

/** A query string, and the key of the input that wrote each of its parameters. */
export interface WrittenQuery {
  /** `filter[title]=x&sort=-changed` */
  readonly query: string;
  readonly inputs: ReadonlyMap<string, string>;
}

/** The query string of a form, without empty inputs and unfinished conditions. */
export function writeQuery(form: QueryForm): WrittenQuery {
  const { query, keys } = queryOf(form, (value) => value);
  const { offset, limit } = form;
  const page = { ...(offset !== '' && { offset }), ...(limit !== '' && { limit }) };
  const fields = Object.entries(form.fields).filter(([, names]) => names.length > 0);
  const paths = form.facets.split(',').map((path) => path.trim());
  const facets = Object.fromEntries(paths.filter(isPath).map((path) => [path, {}]));
  const replaced = form.replaced.filter((name) => query[name].length === 0);
  const parameters = [
    ...replaced.map((name) => ({ name, text: `${name}=`, node: undefined })),
    ...formatParameters({ ...query, page }, Object.fromEntries(fields)),
    ...facetParameters(facets),
  ];
  return {
    query: parameters.map(({ text }) => text).join('&'),
    inputs: new Map(parameters.map(({ name, node }) => [name, (node && keys.get(node)) ?? keyOf(name)])),
  };
}

/** The same query as TypeScript for the frontmatter of an Astro page. */
export function writeCode(schema: Schema, form: QueryForm): string {
  const { type, offset, limit, fields } = form;
  const bundle = bundleNamed(schema, type);
  const { query } = queryOf(form, (value, path) => typed(value, pathTarget(schema, type, path)?.kind));
  // A limit of 0 in a URL means no limit. The API rejects other text, so it is left out.
  const page = {
    ...(/^\d+$/.test(offset) && { offset: Number(offset) }),
    ...(/^\d+$/.test(limit) && Number(limit) > 0 && { limit: Number(limit) }),
  };
  const isHighlighted = query.filter.some((node) => node.kind === 'search' && node.highlight);
  const end = isHighlighted ? 'results()' : 'all()';
  const calls = [...formatCalls({ ...query, page }, fields[type] ?? [], LINE_LENGTH), end];
  const start = `await entities(${quote(bundle?.entityType === 'node' ? bundle.bundle : type)})`;
  const line = [start, ...calls].join('.');
  if (calls.length < 3 && line.length <= LINE_LENGTH) return line;
  return [start, ...calls].join('\n.').replaceAll('\n', '\n  ');
}

const LINE_LENGTH = 70;

/** The finished parts of a form as a query, and the keys of the inputs that hold them. */
function queryOf(
  { search, searchOperator, filter, sort, include }: QueryForm,
  read: (value: string, path: string) => Scalar,
): {
  readonly query: Omit<FormattedQuery, 'page'>;
  readonly keys: ReadonlyMap<FilterNode | SortKey, string>;
} {
  const keys = new Map<FilterNode | SortKey, string>();
  const keyed = <T extends FilterNode | SortKey>(node: T, key: string): T => {
    keys.set(node, key);
    return node;
  };
  const conditionOf = ({ id, path, operator, values }: FormCondition): Condition => {
    const scalars = values.map((value) => read(value, path));
    const count = valueCount(operator);
    const value = count === 'none' ? null : count === 'one' ? (scalars[0] ?? '') : scalars;
    return keyed({ kind: 'condition', path, operator, value }, `condition-${id}`);
  };
  const membersOf = (group: FormGroup): readonly FilterNode[] =>
    group.members.flatMap((member): readonly FilterNode[] => {
      if (member.kind === 'condition') return isComplete(member) ? [conditionOf(member)] : [];
      const { id, conjunction } = member;
      const members = membersOf(member);
      return members.length === 0 ? [] : [keyed({ kind: 'group', conjunction, members }, `group-${id}`)];
    });
  const searching: Search = {
    kind: 'search',
    text: search,
    ...(searchOperator === 'SEARCH' && { isTolerant: true, highlight: true }),
    ...(searchOperator === 'RELATED_TO' && { isRelated: true }),
  };
  const searches = search === '' ? [] : [keyed(searching, 'search')];
  const sortKeys = sort.flatMap(({ path, direction }, index) =>
    isPath(path) ? [keyed({ path, direction }, `sort-${index}`)] : [],
  );
  return { query: { filter: [...searches, ...membersOf(filter)], sort: sortKeys, include }, keys };
}

/** The key of the input for `include`, `fields[type]`, `page[limit]` or `facetBy[path]`. */
function keyOf(parameter: string): string {
  if (parameter.startsWith(FACETS_PARAMETER)) return 'facets';
  return parameter.replace(/^fields\[(.*)\]$/, 'fields-$1').replace(/^page\[(.*)\]$/, '$1');
}

/** The value of an input; a string if it does not fit the kind. */
function typed(value: string, kind: FieldKind | undefined): Scalar {
  if (kind === 'boolean' && /^(?:0|1|true|false)$/i.test(value)) return /^(?:1|true)$/i.test(value);
  const isNumber = kind === 'integer' || kind === 'number';
  return isNumber && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? Number(value) : value;
}
