import type { Facet } from '../engine/ast.ts';
import type { FacetResult, FacetTerm, QueryAccess } from '../engine/engine.ts';
import type { CountedTerm, FacetCounts } from './document-types.ts';
import type { Reader } from './reader.ts';
import { visibleTitle } from './sparse-fields.ts';

/** The counts of a query's facets by path. Targets of references have their titles as labels. */
export async function facetCounts(
  reader: Pick<Reader, 'store' | 'engine'>,
  access: QueryAccess,
  facets: readonly Facet[],
  results: readonly FacetResult[],
): Promise<Readonly<Record<string, FacetCounts>>> {
  const counts: [string, FacetCounts][] = [];
  for (const [at, { terms, ...numbers }] of results.entries()) {
    const labelled = terms.map((term) => labelTarget(reader, access, term));
    counts.push([facets[at]!.path, { terms: await Promise.all(labelled), ...numbers }]);
  }
  return Object.fromEntries(counts);
}

async function labelTarget(
  { store, engine }: Pick<Reader, 'store' | 'engine'>,
  access: QueryAccess,
  term: FacetTerm,
): Promise<CountedTerm> {
  if (!('type' in term)) return term;
  const { value, type: name, count } = term;
  const type = store.types.get(name);
  const title = visibleTitle(access, type, await engine.find(name, value, access));
  return { value, type: name, label: title ?? value, count };
}
