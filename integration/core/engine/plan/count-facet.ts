import type { FacetResult, FacetTerm } from '../engine.ts';
import type { ResolvedFacet } from '../resolve/resolve-facets.ts';
import { checkKinds, leafOf, type ValueKey } from '../resolve/resolve-key.ts';
import { compareRaw, EXACT_ORDERING, type Ordering, type Raw } from '../store/ordering.ts';
import { listRows, type RowSet } from '../store/row-set.ts';
import { splitReferenceKey } from '../store/slot.ts';
import type { Table } from '../store/table.ts';
import { checkSlice } from '../time-slices.ts';
import { type FacetCache, type FacetKeys, facetKeys, type KeyValues } from './facet-keys.ts';
import { smallest } from './page.ts';
import { type PlanContext, planQuery } from './plan.ts';
import type { PlanNode } from './plan-node.ts';

/** A facet with its counts. */
export interface CountedFacet<T> {
  readonly facet: ResolvedFacet;
  /** Finds the rows that are counted; null if they are the rows of the query. */
  readonly filter: PlanNode | null;
  readonly counts: T;
}

/**
 * Applies `count` to each facet of a query and its matching rows. If the slice ends, the next call continues with the next
 * facet.
 */
export function planFacets<T>(
  facets: readonly ResolvedFacet[],
  table: Table,
  context: PlanContext,
  visible: RowSet,
  cache: FacetCache,
  count: (facet: ResolvedFacet, keys: FacetKeys, rows: Int32Array) => T,
): (matching: RowSet) => readonly CountedFacet<T>[] {
  const results: CountedFacet<T>[] = [];
  const filters = new Map<ResolvedFacet, PlanNode>();
  let rows: Int32Array | undefined;
  return (matching) => {
    for (const facet of facets.slice(results.length)) {
      const keys = facetKeys(facet.key, table, context, cache);
      rows ??= listRows(matching);
      const filter =
        filters.get(facet) ??
        (facet.filter === null ? null : planQuery(facet.filter, table, context, visible));
      if (filter !== null) filters.set(facet, filter);
      const counted = filter === null ? rows : listRows(filter.rows());
      results.push({ facet, filter, counts: count(facet, keys, counted) });
      checkSlice();
    }
    return results;
  };
}

/** Counts the rows of each value. */
export function countFacet({ facet, key }: ResolvedFacet, keys: FacetKeys, rows: Int32Array): FacetResult {
  const { values } = keys;
  const { counts, missing } = countRows(keys, rows);
  const { representatives, sums } = foldClasses(counts, values);
  const { selected, total } = selectTerms(sums, facet);
  const leaf = leafOf(key);
  const terms = selected.map((term) => {
    const raw = values.raw(representatives === null ? term : representatives[term]!);
    return { ...termValue(raw, leaf), count: sums[term]! };
  });
  return { terms, total, missing };
}

/** The counts of a facet in one of several tables, by spelling. */
export interface Tally {
  readonly terms: readonly CountedRaw[];
  readonly ordering: Ordering;
  readonly missing: number;
}

interface CountedRaw {
  readonly raw: Raw;
  readonly count: number;
}

/** Counts the rows of each value, for `mergeTallies`. */
export function tallyFacet(_: ResolvedFacet, keys: FacetKeys, rows: Int32Array): Tally {
  const { values } = keys;
  const { counts, missing } = countRows(keys, rows);
  const terms: CountedRaw[] = [];
  for (let key = 0; key < counts.length; key++) {
    if (counts[key]! > 0) terms.push({ raw: values.raw(key), count: counts[key]! });
  }
  return { terms, ordering: values.ordering, missing };
}

/** The counts of one facet in several tables together. Throws BadParameterError if their values cannot be compared. */
export function mergeTallies(parts: readonly CountedFacet<Tally>[]): FacetResult {
  const { facet } = parts[0]!.facet;
  const keys = parts.map((part) => part.facet.key);
  const tallies = parts.map(({ counts }) => counts);
  checkKinds(keys, { path: facet.path, parameter: facet.parameter ?? 'facetBy' });
  const { order, compare } = tallies.find(({ terms }) => terms.length > 0)?.ordering ?? EXACT_ORDERING;
  const bySpelling = new Map<Raw, number>();
  for (const { terms } of tallies) {
    for (const { raw, count } of terms) bySpelling.set(raw, (bySpelling.get(raw) ?? 0) + count);
  }
  const spellings = [...bySpelling].map(([raw, count]) => ({ raw, count, order: order(raw) }));
  spellings.sort((a, b) => compare(a.order, b.order) || b.count - a.count || compareRaw(a.raw, b.raw));
  const merged: (typeof spellings)[number][] = [];
  for (const spelling of spellings) {
    const last = merged.at(-1);
    if (last !== undefined && compare(last.order, spelling.order) === 0) last.count += spelling.count;
    else merged.push(spelling);
  }
  const frequent = merged.filter(({ count }) => count >= facet.min);
  if (facet.sort === 'count') frequent.sort((a, b) => b.count - a.count);
  const leaf = keys.map(leafOf).find((each) => each !== undefined);
  return {
    terms: frequent.slice(0, facet.limit).map(({ raw, count }) => ({ ...termValue(raw, leaf), count })),
    total: frequent.length,
    missing: tallies.reduce((sum, { missing }) => sum + missing, 0),
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

/** A value of a facet as it is returned. */
export function termValue(raw: Raw, leaf: ValueKey | undefined): TermValue {
  const { slot, groups, targets } = leaf ?? {};
  if (groups?.kind === 'ranges') {
    const { bounds } = groups;
    const above = Number(raw);
    return { from: bounds[above - 1] ?? null, to: bounds[above] ?? null };
  }
  if (targets !== undefined) {
    const { type, id } = splitReferenceKey(String(raw));
    return { value: id, type };
  }
  return { value: slot?.kind === 'boolean' ? raw === 1 : raw };
}
