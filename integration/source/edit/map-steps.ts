import type { Step } from './align.ts';
import { type RawMap, sameRaw } from './raw.ts';
import type { Entry } from './source-tree.ts';

/** Says where a key belongs among the keys of a map; undefined where nothing is known of it. */
export type RankOf = (key: string) => number | undefined;

/** Pairs are found by their names; where a new one goes, the ranks of the others say. */
export function mapSteps(
  entries: readonly Entry[],
  before: RawMap,
  after: RawMap,
  rankOf: RankOf | undefined,
): readonly Step[] {
  const names = Object.keys(after);
  const added = names.filter((name) => !Object.hasOwn(before, name));
  const places = new Map(names.map((name, index) => [name, index]));
  const steps: Step[] = entries.map(({ key = '' }, index) => {
    if (!Object.hasOwn(after, key)) return { kind: 'remove', before: index };
    const same = sameRaw(before[key], after[key] ?? null);
    return { kind: same ? 'keep' : 'edit', before: index, after: places.get(key) ?? 0 };
  });
  if (rankOf === undefined) {
    return [...steps, ...added.map((name): Step => ({ kind: 'insert', after: places.get(name) ?? 0 }))];
  }
  const ranked = added.map((name) => ({ name, rank: rankOf(name) }));
  ranked.sort((a, b) => (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) || 0);
  for (const { name, rank } of ranked) {
    const step: Step = { kind: 'insert', after: places.get(name) ?? 0 };
    const ranks = steps.map((each) =>
      rankOf(each.kind === 'insert' ? (names[each.after] ?? '') : (entries[each.before]?.key ?? '')),
    );
    steps.splice(positionOf(rank, ranks), 0, step);
  }
  return steps;
}

/** Behind the one that comes right before it in rank, else before the one that comes right after, else at the end. */
function positionOf(rank: number | undefined, ranks: readonly (number | undefined)[]): number {
  if (rank === undefined) return ranks.length;
  const known = ranks.flatMap((each, index) => (each === undefined ? [] : [{ rank: each, index }]));
  const before = known
    .filter((each) => each.rank <= rank)
    .sort((a, b) => b.rank - a.rank || b.index - a.index)[0];
  if (before !== undefined) return before.index + 1;
  const after = known.sort((a, b) => a.rank - b.rank || a.index - b.index)[0];
  return after?.index ?? ranks.length;
}
