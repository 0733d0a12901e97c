import type { Part } from '../api/schema.ts';
import { partLabel } from '../api/site.svelte.ts';

/** Where a part of a value is: `2 › Source`. */
export function placeLabel(steps: readonly { readonly part: Part; readonly index?: number }[]): string {
  return steps.map(({ part, index }) => (index === undefined ? partLabel(part) : index + 1)).join(' › ');
}
