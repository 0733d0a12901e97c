import { distance } from 'fastest-levenshtein';

/** The choice most similar to `name`, for "Did you mean …?"; undefined if none is close. */
export function closestName(name: string, choices: Iterable<string>): string | undefined {
  let closest: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const choice of choices) {
    const edits = distance(name.toLowerCase(), choice.toLowerCase());
    if (edits < least) [closest, least] = [choice, edits];
  }
  return closest;
}

/** A sentence after a space, or nothing: ` Did you mean "title"?` */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
