import type { Part, Variant } from '../../api/schema.ts';
import { labelOf } from '../../api/site.svelte.ts';
import { summaryOf } from '../../model/blocks.ts';
import { variantOf } from '../../model/nested.ts';
import { nestedText } from '../../texts/nested.ts';

export function variantLabel({ value, label }: Pick<Variant, 'value' | 'label'>): string {
  return label ?? labelOf(String(value));
}

/** What an item is, such as `Quote`; empty if its list has one kind of items. */
export function kindLabel(part: Part, item: unknown): string {
  if (part.variants === undefined) return '';
  const variant = variantOf(part, item);
  return variant ? variantLabel(variant) : nestedText('block.unknown');
}

/** `2. Quote: All dry.` */
export function itemName(part: Part, item: unknown, index: number, label: string): string {
  const words = [kindLabel(part, item), summaryOf(part, item)].filter(Boolean);
  return `${index + 1}. ${words.length === 0 ? label : words.join(': ')}`;
}
