import type { ResourceType } from '../../core/content/model.ts';
import { EMPTY_FILTER } from '../../core/engine/ast.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { createFacet, type FacetInput } from '../../core/engine/parse/parse-facets.ts';
import { createResolveContext } from '../../core/engine/resolve/bind-path.ts';
import { resolveFacets } from '../../core/engine/resolve/resolve-facets.ts';
import { checkKinds } from '../../core/engine/resolve/resolve-key.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { indexedType } from '../../core/read/index-fields.ts';
import type { Reader } from '../../core/read/reader.ts';
import type { SearchIndex } from '../../core/read/settings.ts';
import { closestName, didYouMean } from '../../core/util/closest-name.ts';
import { BadParameterError } from '../../core/util/errors.ts';

type Site = Pick<Reader, 'store' | 'settings'>;

/** Sentences about bundles, searched fields and facets in option `indexes` that the content does not have. */
export function indexProblems(site: Site): readonly string[] {
  return Object.entries(site.settings.indexes).flatMap(([name, index]) => {
    const types = index.bundles.flatMap((bundle) => indexedType(site.store, bundle) ?? []);
    return [
      ...unknownBundles(index, site),
      ...(types.length === 0
        ? []
        : [...unsearchableFields(index, types), ...wrongFacets(index, types, site)]),
    ].map((problem) => `Option indexes.${name}.${problem}`);
  });
}

function unknownBundles({ bundles }: SearchIndex, { store }: Site): readonly string[] {
  const names = [...store.types.values()].map(({ bundle }) => bundle);
  return bundles
    .filter((name) => indexedType(store, name) === undefined)
    .map((name) => `bundles: the content has no bundle "${name}".${validNames(name, names)}`);
}

function unsearchableFields({ search = [] }: SearchIndex, types: readonly ResourceType[]): readonly string[] {
  const names = [...new Set(types.flatMap((type) => searchableFields(type).map(({ name }) => name)))];
  const problem = types.length === 1 ? `${types[0]?.name} has no` : 'none of its bundles has a';
  return search
    .filter((name) => !names.includes(name))
    .map((name) => `search: ${problem} searchable field "${name}".${validNames(name, names)}`);
}

function wrongFacets({ facets }: SearchIndex, types: readonly ResourceType[], site: Site): readonly string[] {
  return Object.entries(facets).flatMap(([path, { label: _, ...input }]) => {
    const problem = facetProblem(path, input, types, site);
    return problem === undefined ? [] : [`facets.${path}: ${problem}`];
  });
}

/** Why an index of these types cannot count a facet. */
function facetProblem(
  path: string,
  input: FacetInput,
  types: readonly ResourceType[],
  { store, settings: { limits } }: Site,
): string | undefined {
  const at = { path, parameter: 'indexes' };
  const keysOf = (type: ResourceType, peers?: readonly string[]) => {
    const facet = createFacet(path, input, limits, () => at.parameter);
    const context = createResolveContext(store.types, EVERYTHING, limits, undefined, peers);
    return resolveFacets(type, [facet], EMPTY_FILTER, context).map(({ key }) => key);
  };
  // Each type has valid paths of its own.
  const own = types.map((type) => detailOf(() => keysOf(type)));
  if (own.every((detail) => detail !== undefined)) return [...new Set(own)].join(' ');
  const names = types.map(({ name }) => name);
  return detailOf(() =>
    checkKinds(
      types.flatMap((type) => keysOf(type, names)),
      at,
    ),
  );
}

/** The detail of the BadParameterError that `check` throws, if it does. */
function detailOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof BadParameterError) return error.detail;
    throw error;
  }
}

function validNames(name: string, names: readonly string[]): string {
  return `${didYouMean(closestName(name, names))} Valid: ${names.join(', ')}.`;
}

/** The access of an actor who sees everything. */
const EVERYTHING: QueryAccess = { visibility: () => null, fieldVisible: () => true };
