import type { Facet, Scalar } from '../engine/ast.ts';
import type { FacetResult, FacetTerm, QueryAccess } from '../engine/engine.ts';
import type { Reader } from './reader.ts';

/** The counts of a facet: `meta.facets` has one by path, and so has the result of `facets()` at build time. */
export interface FacetCounts<Term = CountedTerm> {
  readonly terms: readonly Term[];
  /** The number of terms without the limit. */
  readonly total: number;
  /** Matching entities without a value. */
  readonly missing: number;
}

export type CountedTerm = CountedValue | CountedTarget | CountedRange;

export interface CountedValue<V = Scalar> {
  readonly value: V;
  readonly count: number;
}

/** A target of a reference. */
export interface CountedTarget {
  /** Its id. */
  readonly value: string;
  /** Its resource type. */
  readonly type: string;
  /** Its title, or its id if the actor may not see a title. */
  readonly label: string;
  readonly count: number;
}

/** Values from one boundary to the next, which is not included; null for an open end. */
export interface CountedRange<V = Scalar> {
  readonly from: V | null;
  readonly to: V | null;
  readonly count: number;
}

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
  const hasTitle = type !== undefined && access.fieldVisible(type, 'title');
  const title = hasTitle ? (await engine.find(name, value, access))?.values.title : null;
  return { value, type: name, label: typeof title === 'string' ? title : value, count };
}
