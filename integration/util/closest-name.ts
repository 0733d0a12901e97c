import { distance } from 'fastest-levenshtein';

/** The choice most like `name`, for "did you mean"; undefined where none is near. */
export function closestName(name: string, choices: Iterable<string>): string | undefined {
  let closest: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const choice of choices) {
    const edits = distance(name.toLowerCase(), choice.toLowerCase());
    if (edits < least) [closest, least] = [choice, edits];
  }
  return closest;
}
