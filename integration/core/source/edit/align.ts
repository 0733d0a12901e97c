/** One step from a list to another. `before` and `after` are indexes into the two lists. */
export type Step =
  | { readonly kind: 'keep' | 'edit'; readonly before: number; readonly after: number }
  | { readonly kind: 'remove'; readonly before: number }
  | { readonly kind: 'insert'; readonly after: number };

/** The likeness of equal items. */
export const SAME = 1000;

/** Pairs of items that are compared; longer lists are compared at both ends only. */
const MAX_COMPARED = 250_000;

/**
 * The steps that keep the most. `likeness` is `SAME` for equal items, 0 for unrelated items, and in between for items
 * that can be edited into each other.
 */
export function align<Before, After>(
  before: readonly Before[],
  after: readonly After[],
  likeness: (a: Before, b: After) => number,
): readonly Step[] {
  const same = (i: number, j: number) => likeness(before[i]!, after[j]!) === SAME;
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && same(head, head)) head += 1;
  let tail = 0;
  while (tail < shorter - head && same(before.length - 1 - tail, after.length - 1 - tail)) tail += 1;
  const rows = before.length - head - tail;
  const columns = after.length - head - tail;
  return [
    ...range(head, (index): Step => ({ kind: 'keep', before: index, after: index })),
    ...(rows * columns > MAX_COMPARED
      ? [
          ...range(rows, (index): Step => ({ kind: 'remove', before: head + index })),
          ...range(columns, (index): Step => ({ kind: 'insert', after: head + index })),
        ]
      : alignMiddle(rows, columns, head, (i, j) => likeness(before[i]!, after[j]!))),
    ...range(
      tail,
      (index): Step => ({
        kind: 'keep',
        before: before.length - tail + index,
        after: after.length - tail + index,
      }),
    ),
  ];
}

function alignMiddle(
  rows: number,
  columns: number,
  from: number,
  likeness: (i: number, j: number) => number,
): readonly Step[] {
  const width = columns + 1;
  // The most that can be kept from a row and a column on, and the likeness of the two items.
  const best = new Float64Array((rows + 1) * width);
  const alike = new Float64Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      const pair = likeness(from + row, from + column);
      alike[at] = pair;
      const paired = pair === 0 ? -1 : pair + best[at + width + 1]!;
      best[at] = Math.max(paired, best[at + width]!, best[at + 1]!);
    }
  }
  const steps: Step[] = [];
  let row = 0;
  let column = 0;
  while (row < rows || column < columns) {
    const at = row * width + column;
    const pair = alike[at]!;
    if (row < rows && column < columns && pair > 0 && best[at] === pair + best[at + width + 1]!) {
      steps.push({ kind: pair === SAME ? 'keep' : 'edit', before: from + row, after: from + column });
      row += 1;
      column += 1;
    } else if (row < rows && (column === columns || best[at] === best[at + width])) {
      steps.push({ kind: 'remove', before: from + row });
      row += 1;
    } else {
      steps.push({ kind: 'insert', after: from + column });
      column += 1;
    }
  }
  return steps;
}

function range<T>(length: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => make(index));
}
