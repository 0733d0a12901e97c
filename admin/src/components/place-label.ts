import type { Part } from '../api/schema.ts';
import { partLabel } from '../api/site.svelte.ts';

/** The place of a part of a value: `2 › Source`. */
export function placeLabel(steps: readonly { readonly part: Part; readonly index?: number }[]): string {
  return steps.map(({ part, index }) => (index === undefined ? partLabel(part) : index + 1)).join(' › ');
}
