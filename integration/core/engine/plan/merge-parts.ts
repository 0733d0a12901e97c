import type { Entity } from '../../content/model.ts';
import type { EngineQuery, QueryResult } from '../engine.ts';
import { checkKinds } from '../resolve/resolve-key.ts';
import type { ResolvedSort } from '../resolve/resolve-sort.ts';
import { compareRaw } from '../store/ordering.ts';
import { NULL_CODE } from '../store/postings.ts';
import type { Table } from '../store/table.ts';
import type { CountedFacet, mergeTallies, Tally } from './count-facet.ts';
import type { SortedKeys } from './sort-keys.ts';

/** The result of a query in one of several tables. */
export interface QueryPart {
  readonly table: Table;
  /** In order; as many as the common page and all pages before it may need. */
  readonly rows: readonly number[];
  readonly count: number;
  readonly sort: readonly ResolvedSort[];
  readonly keys: readonly SortedKeys[];
  /** Those of the rows, in a search that is sorted by relevance. */
  readonly scores: readonly number[] | undefined;
  readonly tallies: readonly CountedFacet<Tally>[];
}

/** One list from the results in several tables. Throws BadParameterError if their values cannot be compared. */
export function mergeParts(
  parts: readonly QueryPart[],
  { page, sort, facets = [] }: EngineQuery,
  facetCode: () => { readonly mergeTallies: typeof mergeTallies },
): QueryResult {
  sort.forEach(({ path, parameter = 'sort' }, i) => {
    checkKinds(
      parts.map((part) => part.sort[i]!.key),
      { path, parameter },
    );
  });
  const candidates = parts.flatMap(candidatesOf).sort((a, b) => compareCandidates(a, b));
  const entities = candidates.slice(page.offset, page.offset + page.limit).map(({ entity }) => entity);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  if (facets.length === 0) return { entities, count };
  const code = facetCode();
  return {
    entities,
    count,
    facets: facets.map((_, i) => code.mergeTallies(parts.map(({ tallies }) => tallies[i]!))),
  };
}

interface Candidate {
  readonly entity: Entity;
  readonly score: number;
  readonly keys: readonly CandidateKey[];
}

interface CandidateKey extends Pick<SortedKeys, 'direction' | 'ordering'> {
  /** The argument of `compare`; null for a missing value. */
  readonly order: string | number | null;
}

function candidatesOf({ table, rows, keys, scores }: QueryPart): Candidate[] {
  const columns = keys.map((key) => ({ ...key, raws: key.values() }));
  const entities = table.entitiesAt(rows);
  return rows.map((row, i) => ({
    entity: entities[i]!,
    score: scores?.[i] ?? 0,
    keys: columns.map(({ order: { keys: keyOfRow }, raws, direction, ordering }) => {
      const key = keyOfRow[row]!;
      return { direction, ordering, order: key === NULL_CODE ? null : ordering.order(raws[key]!) };
    }),
  }));
}

/** By relevance, then by the sort keys with nulls first ascending, then by id and type. */
function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score;
  for (const [i, { order, direction, ordering }] of a.keys.entries()) {
    const other = b.keys[i]!.order;
    const ascending =
      order === null || other === null
        ? Number(order !== null) - Number(other !== null)
        : ordering.compare(order, other);
    if (ascending !== 0) return direction === 'ASC' ? ascending : -ascending;
  }
  return compareRaw(a.entity.id, b.entity.id) || compareRaw(a.entity.type, b.entity.type);
}
