/** The choice most like `name`, for "did you mean"; undefined where none is near. */
export function closestName(name: string, choices: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const choice of choices) {
    const distance = editDistance(name.toLowerCase(), choice.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = choice;
    }
  }
  return best;
}

/** Levenshtein's distance; `limit` or more where it is not below. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) {
    return limit;
  }
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
