import { collectionDocument, listDocument } from '../../core/api/jsonapi/document.ts';
import { FILE_TYPE } from '../../core/content/file-resource.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { type Condition, FACETS_PARAMETER, type FilterNode, type Group } from '../../core/engine/ast.ts';
import { createFacet } from '../../core/engine/parse/parse-facets.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { parameterName } from '../../core/engine/parse/query-string.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import type { ComposedDocument, Resources } from '../../core/read/compose.ts';
import type { CountedTerm, FacetCounts, IndexFacet } from '../../core/read/document-types.ts';
import { facetCounts } from '../../core/read/facets.ts';
import { hasEntityType } from '../../core/read/find.ts';
import { fieldsAt, indexedType } from '../../core/read/index-fields.ts';
import {
  createRequestPager,
  type QueryParameter,
  readParameters,
  writeParameters,
} from '../../core/read/links.ts';
import type { DocumentContext, Reader } from '../../core/read/reader.ts';
import type { IndexFacetOptions, SearchIndex } from '../../core/read/settings.ts';
import { BadParameterError, NotFoundError } from '../../core/util/errors.ts';
import { INDEX_PATH } from './named-paths.ts';

/** An index of option `indexes`, with its types in the content. */
export interface FoundIndex extends SearchIndex {
  readonly name: string;
  readonly types: readonly ResourceType[];
}

/**
 * The index at `index/articles`; undefined for other paths, and if the content has an entity type of that name. The index
 * `_all` has all content. Throws NotFoundError if the index does not exist or the content lacks all its bundles.
 */
export function findIndex(
  { store, settings }: Pick<Reader, 'store' | 'settings'>,
  [first, name, ...rest]: readonly string[],
): FoundIndex | undefined {
  if (first?.toLowerCase() !== INDEX_PATH || name === undefined || rest.length > 0) return undefined;
  if (name === ALL_CONTENT) return { name, bundles: [], facets: {}, types: typesOf(store) };
  if (hasEntityType(store, INDEX_PATH)) return undefined;
  const names = [...Object.keys(settings.indexes), ALL_CONTENT];
  const index = Object.hasOwn(settings.indexes, name) ? settings.indexes[name] : undefined;
  if (index === undefined) {
    throw new NotFoundError(`The index '${name}' does not exist. Indexes: ${names.join(', ')}.`);
  }
  const types = index.bundles.flatMap((bundle) => indexedType(store, bundle) ?? []);
  if (types.length > 0) return { ...index, name, types };
  throw new NotFoundError(`The index '${name}' has no content: none of its bundles exists.`);
}

/** The types of the content. Files have a list of their own. */
function typesOf({ types }: EntityStore): readonly ResourceType[] {
  return [...types.values()].filter((type) => type !== FILE_TYPE);
}

/** No index of option `indexes`, and no bundle, has a name that starts with an underscore. */
export const ALL_CONTENT = '_all';

interface ServedFacet {
  readonly path: string;
  readonly options: IndexFacetOptions;
  /** The fields at the end of the path. */
  readonly fields: readonly FieldDefinition[];
}

/**
 * The matching entities of an index in one list. Its facets are in `meta.facets`, each term with the URL of the query with
 * the term added or removed. Clients choose those of `_all`, as in a collection. `href` is the address of the index without a
 * query. Source: Drupal's modules jsonapi_search_api and jsonapi_search_api_facets.
 */
export async function indexDocument(
  context: DocumentContext,
  index: FoundIndex,
  search: string,
  href: string,
): Promise<ComposedDocument<Resources>> {
  const { services, access } = context;
  const { settings, store } = services;
  const sent = parseQuery(search, 'collection', settings);
  if (index.name === ALL_CONTENT) {
    return collectionDocument(context, index.types, sent, createRequestPager(href, search));
  }
  const [own] = sent.facets;
  if (own !== undefined) {
    throw new BadParameterError(
      own.parameter ?? FACETS_PARAMETER,
      'The facets of an index are set by option indexes.',
    );
  }
  // Facets on fields that the actor may not see are left out.
  const served = Object.entries(index.facets).flatMap(([path, options]): ServedFacet[] => {
    const fields = fieldsAt(store, index.types, path);
    const isHidden =
      fields.length > 0 && fieldsAt(store, index.types, path, access.fieldVisible).length === 0;
    return isHidden ? [] : [{ path, options, fields }];
  });
  const facets = served.map(({ path, options: { label: _, ...input } }) =>
    createFacet(path, input, settings.limits, () => `indexes.${index.name}.facets`),
  );
  const references = new Set(
    served.filter(({ fields }) => fields.some(({ kind }) => kind === 'reference')).map(({ path }) => path),
  );
  const query = { ...sent, facets, filter: bindFilter(sent.filter, index, references) };
  const { found, ...document } = await listDocument(
    context,
    index.types,
    query,
    createRequestPager(href, search),
  );
  const counts = await facetCounts(services, access, facets, found.facets ?? []);
  const selections = selectionsOf(sent.filter, index);
  const { compare } = new Intl.Collator(store.locale, { sensitivity: 'accent' });
  const isEqual: IsEqual = (term, value) =>
    'type' in term ? urlValue(term) === value : compare(urlValue(term), value) === 0;
  const members = served.map(({ path, options, fields }): IndexFacet => {
    const title = fields.map(({ rules }) => rules?.title).find((each) => each !== undefined);
    const urlOf = (values: readonly string[]) => href + selectUrl(search, sent.filter, path, values);
    const terms = termsOf(counts[path], selections.get(path) ?? [], isEqual, urlOf);
    return { id: path, label: options.label ?? title ?? path, path, terms };
  });
  return { ...document, meta: { ...document.meta, ...(members.length > 0 && { facets: members }) } };
}

/** True if a selected value is that of a term, in whichever spelling. */
type IsEqual = (term: CountedTerm, value: string) => boolean;

/** The terms of a facet; `urlOf` is the query with other selected values. */
function termsOf(
  counts: FacetCounts | undefined,
  selected: readonly string[],
  isEqual: IsEqual,
  urlOf: (values: readonly string[]) => string,
): IndexFacet['terms'] {
  return (counts?.terms ?? []).map((term) => {
    const { count } = term;
    const value = urlValue(term);
    const others = selected.filter((each) => !isEqual(term, each));
    const active = others.length < selected.length;
    const values = active ? others : [...selected, value];
    return {
      url: urlOf(values),
      values: { value, label: 'label' in term ? term.label : value, active, count },
    };
  });
}

/** The value in a URL. Booleans are numbers, as in Drupal. */
function urlValue(term: CountedTerm): string {
  if (!('value' in term)) return '';
  return String(typeof term.value === 'boolean' ? Number(term.value) : term.value);
}

/** The filter as the engine reads it: a reference is compared by the id of its target, and a search by the index's fields. */
function bindFilter(filter: Group, index: FoundIndex, references: ReadonlySet<string>): Group {
  const bind = (node: FilterNode): FilterNode => {
    switch (node.kind) {
      case 'group':
        return { ...node, members: node.members.map(bind) };
      case 'search':
        return index.search === undefined ? node : { ...node, fields: index.search };
      case 'condition': {
        const isNullTest = node.operator === 'IS NULL' || node.operator === 'IS NOT NULL';
        return references.has(node.path) && !isNullTest ? { ...node, path: `${node.path}.id` } : node;
      }
      default:
        return node satisfies never;
    }
  };
  return { ...filter, members: filter.members.map(bind) };
}

/** The selected values by path of a facet. */
function selectionsOf(filter: Group, { facets }: SearchIndex): ReadonlyMap<string, readonly string[]> {
  const paths = Object.keys(facets);
  const conditions = filter.members
    .filter((node) => isSelection(node))
    .filter(({ path }) => paths.includes(path));
  const byPath = Map.groupBy(conditions, ({ path }) => path);
  return new Map(
    [...byPath].map(([path, some]) => [
      path,
      [...new Set(some.flatMap(({ value }) => [value].flat().map(String)))],
    ]),
  );
}

/** True for a condition outside of groups that selects values. */
function isSelection(node: FilterNode): node is Condition {
  return (
    node.kind === 'condition' && (node.operator === '=' || node.operator === 'IN') && node.value !== null
  );
}

/**
 * The query with other values of one facet, from its first page: one value is `filter[path]=v`, several are a condition
 * `<path>-facet` with `IN`. Other parameters stay.
 */
function selectUrl(search: string, filter: Group, path: string, values: readonly string[]): string {
  const labels = filter.members
    .filter((node) => isSelection(node))
    .filter((node) => node.path === path)
    .map(({ parameter = '' }) => /^filter\[([^\]]*)\]/.exec(parameter)?.[1]);
  const others = readParameters(search).filter(({ name }) => {
    const [, label] = /^filter\[([^\]]*)\]/.exec(name) ?? [];
    const isOwn = label !== undefined && labels.includes(label);
    return !isOwn && name !== 'page[offset]' && name !== 'page[number]';
  });
  return writeParameters([...others, ...selection(path, values)]);
}

function selection(path: string, values: readonly string[]): readonly QueryParameter[] {
  const parameter = (keys: readonly string[], value: string): QueryParameter => {
    return { family: 'filter', name: parameterName(['filter', ...keys]), value };
  };
  const [only, ...others] = values;
  if (only === undefined) return [];
  if (others.length === 0) return [parameter([path], only)];
  const condition = [`${path}-facet`, 'condition'];
  return [
    parameter([...condition, 'path'], path),
    parameter([...condition, 'operator'], 'IN'),
    ...values.map((value) => parameter([...condition, 'value', ''], value)),
  ];
}
