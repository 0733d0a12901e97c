import type { FacetResult, FacetTerm } from '../engine.ts';
import type { ResolvedFacet } from '../resolve/resolve-facets.ts';
import type { KeyStep, ValueKey } from '../resolve/resolve-key.ts';
import type { Raw } from '../store/ordering.ts';
import { listRows, type RowSet } from '../store/row-set.ts';
import { splitReferenceKey } from '../store/slot.ts';
import type { Table } from '../store/table.ts';
import { checkSlice } from '../time-slices.ts';
import { type FacetCache, type FacetKeys, facetKeys, type KeyValues } from './facet-keys.ts';
import { smallest } from './page.ts';
import { type PlanContext, planQuery } from './plan.ts';

/**
 * Counts the facets of a query over its matching rows. If the slice ends, the next call continues with the next facet.
 */
export function planFacets(
  facets: readonly ResolvedFacet[],
  table: Table,
  context: PlanContext,
  visible: RowSet,
  cache: FacetCache,
): (matching: RowSet) => readonly FacetResult[] {
  const results: FacetResult[] = [];
  let rows: Int32Array | undefined;
  return (matching) => {
    for (const { facet, key, filter } of facets.slice(results.length)) {
      const keys = facetKeys(key, table, context, cache);
      rows ??= listRows(matching);
      const counted = filter === null ? rows : listRows(planQuery(filter, table, context, visible).rows());
      results.push(countFacet({ facet, key }, keys, counted));
      checkSlice();
    }
    return results;
  };
}

/** Counts the rows of each value. */
function countFacet(
  { facet, key }: Pick<ResolvedFacet, 'facet' | 'key'>,
  keys: FacetKeys,
  rows: Int32Array,
): FacetResult {
  const { values } = keys;
  const { counts, missing } = countRows(keys, rows);
  const { representatives, sums } = foldClasses(counts, values);
  const terms = selectTerms(sums, facet);
  const leaf = leafOf(key);
  return {
    terms: terms.selected.map((term) => {
      const raw = values.raw(representatives === null ? term : representatives[term]!);
      return { ...termValue(raw, leaf), count: sums[term]! };
    }),
    total: terms.total,
    missing,
  };
}

/** The number of rows of each key. */
function countRows(
  { codes, offsets, values }: FacetKeys,
  rows: Int32Array,
): { readonly counts: Int32Array; readonly missing: number } {
  // The first count is that of the null code.
  const counts = new Int32Array(values.size + 1);
  if (offsets === null) {
    for (let i = 0; i < rows.length; i++) counts[codes[rows[i]!]! + 1]!++;
  } else {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const from = offsets[row]!;
      const to = offsets[row + 1]!;
      if (from === to) counts[0]!++;
      for (let item = from; item < to; item++) counts[codes[item]! + 1]!++;
    }
  }
  return { counts: counts.subarray(1), missing: counts[0]! };
}

/**
 * The count of each class, and its most frequent spelling among the counted rows: a spelling that only hidden entities have
 * must not appear. Without classes, keys are their own spelling.
 */
function foldClasses(
  counts: Int32Array,
  { classes }: KeyValues,
): { readonly sums: Int32Array; readonly representatives: Int32Array | null } {
  if (classes === null || classes.length === 0) return { sums: counts, representatives: null };
  const size = classes.at(-1)! + 1;
  const sums = new Int32Array(size);
  const representatives = new Int32Array(size).fill(-1);
  for (let key = 0; key < counts.length; key++) {
    const group = classes[key]!;
    const best = representatives[group]!;
    if (best === -1 || counts[key]! > counts[best]!) representatives[group] = key;
    sums[group]! += counts[key]!;
  }
  return { sums, representatives };
}

/** The terms in the order of the facet. */
function selectTerms(
  counts: Int32Array,
  { limit, min, sort }: ResolvedFacet['facet'],
): { readonly selected: readonly number[]; readonly total: number } {
  const candidates: number[] = [];
  for (let term = 0; term < counts.length; term++) if (counts[term]! >= min) candidates.push(term);
  const total = candidates.length;
  if (sort === 'value') return { selected: candidates.slice(0, limit), total };
  // Higher counts rank lower; the remainder is the term, so that ties are in the order of values.
  const ranks = Float64Array.from(candidates, (term) => term - counts[term]! * counts.length);
  const sorted = limit < total ? smallest(ranks, limit) : ranks.sort();
  const selected = Array.from(sorted, (rank) => ((rank % counts.length) + counts.length) % counts.length);
  return { selected, total };
}

type TermValue = FacetTerm extends infer T ? (T extends FacetTerm ? Omit<T, 'count'> : never) : never;

function termValue(raw: Raw, { slot, groups, targets }: ValueKey): TermValue {
  if (groups?.kind === 'ranges') {
    const { bounds } = groups;
    const above = Number(raw);
    return { from: bounds[above - 1] ?? null, to: bounds[above] ?? null };
  }
  if (targets !== undefined) {
    const { type, id } = splitReferenceKey(String(raw));
    return { value: id, type };
  }
  return { value: slot.kind === 'boolean' ? raw === 1 : raw };
}

/** The end of the path. Those of several target types are alike. */
function leafOf(step: KeyStep): ValueKey {
  return step.kind === 'value' ? step : leafOf(step.targets[0]!.key);
}
