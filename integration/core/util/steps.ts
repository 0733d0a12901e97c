/** Items per step. */
export const STEP = 512;
/** Items to sort per step: a comparison can take a microsecond. */
const RUN = 1024;

/** Like `items.map`, in steps. */
export function* mapInSteps<T, R>(
  items: readonly T[],
  make: (item: T) => R,
): Generator<void, R[], undefined> {
  const made: R[] = [];
  for (const item of items) {
    made.push(make(item));
    if (made.length % STEP === 0) yield;
  }
  return made;
}

/** A stable sort in steps. */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[], undefined> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(items.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left = [], right] = [runs[i], runs[i + 1]];
      merged.push(right === undefined ? left : yield* merge(left, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[], undefined> {
  const merged: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    merged.push(compare(left[l]!, right[r]!) <= 0 ? left[l++]! : right[r++]!);
    if (merged.length % RUN === 0) yield;
  }
  for (; l < left.length; l++) merged.push(left[l]!);
  for (; r < right.length; r++) merged.push(right[r]!);
  return merged;
}
