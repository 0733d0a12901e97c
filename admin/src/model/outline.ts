import { isRecord } from '../../../integration/core/util/json.ts';
import type { Part } from '../api/schema.ts';
import { partsOf, variantOf } from './nested.ts';

/** How an outline names properties and writes values. */
export interface OutlineWords {
  labelOf(part: Pick<Part, 'name' | 'label'>): string;
  textOf(part: Part, value: unknown): string;
}

/**
 * A nested value as a text for people: a line for each property and item, indented by its depth. Items of lists begin with a dot,
 * and have no numbers, so that an inserted item changes no other line.
 */
export function outlineOf(part: Part, value: unknown, words: OutlineWords): string {
  return linesOf(part, value, words).join('\n');
}

/** True for values with properties or items of their own. */
export function isNestedValue({ kind }: Pick<Part, 'kind'>, value: unknown): boolean {
  if (kind !== 'object' && kind !== 'json') return false;
  return Array.isArray(value)
    ? value.some((item) => typeof item === 'object' && item !== null)
    : isRecord(value);
}

const INDENT = '  ';
const DOT = '• ';

function linesOf(part: Part, value: unknown, words: OutlineWords): readonly string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item) => itemLines({ ...part, list: false }, item, words));
  const isObject = (part.kind === 'object' || part.kind === 'json') && isRecord(value);
  return isObject ? propertyLines(part, value, words) : words.textOf(part, value).split('\n');
}

function itemLines(part: Part, item: unknown, words: OutlineWords): readonly string[] {
  const [first = '', ...others] = linesOf(part, item, words);
  return [DOT + first, ...others.map((line) => INDENT + line)];
}

function propertyLines(
  part: Part,
  value: Readonly<Record<string, unknown>>,
  words: OutlineWords,
): readonly string[] {
  const variant = variantOf(part, value);
  const declared = partsOf(part, value);
  const names = new Set([...declared.map(({ name }) => name), ...Object.keys(value)]);
  if (variant !== undefined && part.discriminator !== undefined) names.delete(part.discriminator);
  const properties = [...names].flatMap((name): readonly string[] => {
    const property = part.entries
      ? { ...part.entries, name, label: name }
      : declared.find((each) => each.name === name);
    const own = property ?? { ...UNKNOWN, name };
    const lines = linesOf(own, value[name], words);
    const label = words.labelOf(own);
    if (lines.length === 0) return [];
    const [only = ''] = lines;
    const fits = lines.length === 1 && !only.startsWith(DOT) && !isRecord(value[name]);
    return fits ? [`${label}: ${only}`] : [`${label}:`, ...lines.map((line) => INDENT + line)];
  });
  if (variant === undefined) return properties;
  const name = words.labelOf({
    name: String(variant.value),
    ...(variant.label !== undefined && { label: variant.label }),
  });
  return [name, ...properties.map((line) => INDENT + line)];
}

/** A property that the schema does not have. */
const UNKNOWN: Omit<Part, 'name'> = {
  kind: 'json',
  list: false,
  targets: [],
  properties: [],
  required: false,
};
