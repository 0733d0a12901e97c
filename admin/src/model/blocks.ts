import { isRecord } from '../../../integration/core/util/json.ts';
import { objectOf } from '../api/document.ts';
import type { Part, Variant } from '../api/schema.ts';
import { inOrder, isForm, partsOf, variantOf } from './nested.ts';

/** A new item of a list, with values that an empty input cannot mean. */
export function newItem(part: Part, variant?: Variant): Readonly<Record<string, unknown>> {
  const { discriminator = '' } = part;
  return {
    ...(variant && { [discriminator]: variant.value }),
    ...Object.fromEntries(
      (variant ?? part).properties.flatMap(({ name, kind, list, required }): [string, unknown][] => {
        if (!required) return [];
        if (list) return [[name, []]];
        return kind === 'boolean' ? [[name, false]] : [];
      }),
    ),
  };
}

/** The first text of a value, in the order of its inputs. */
export function summaryOf(part: Part, value: unknown): string {
  for (const each of inOrder(partsOf(part, value))) {
    const inner = objectOf(value)[each.name];
    if (each.kind === 'string' && !each.list && typeof inner === 'string' && inner.trim() !== '')
      return inner.replace(/\s+/g, ' ').slice(0, SUMMARY_LENGTH);
  }
  for (const each of inOrder(partsOf(part, value)).filter(isForm)) {
    const [first] = [objectOf(value)[each.name]].flat();
    const inner = summaryOf(each, first);
    if (inner !== '') return inner;
  }
  return '';
}

const SUMMARY_LENGTH = 120;

/** What a pasted value has that the part does not know, or the reason why it cannot be pasted. */
export type Pasted =
  | { readonly value: unknown; readonly dropped: readonly string[] }
  | { readonly problem: 'shape' | 'variant' };

/** A copied item as an item of a list: only with the properties that the schema knows. */
export function acceptItem(part: Part, copied: unknown): Pasted {
  if (!isForm(part)) return fitsKind(part, copied) ? { value: copied, dropped: [] } : { problem: 'shape' };
  if (!isRecord(copied)) return { problem: 'shape' };
  const { discriminator = '' } = part;
  if (part.variants !== undefined && variantOf(part, copied) === undefined) return { problem: 'variant' };
  const known = new Map(partsOf(part, copied).map((each) => [each.name, each]));
  const dropped: string[] = [];
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(copied)) {
    const each = known.get(name);
    if (part.variants !== undefined && name === discriminator) entries.push([name, value]);
    else if (each === undefined) dropped.push(name);
    else {
      const inner = each.list ? acceptList(each, value) : acceptItem(each, value);
      if ('problem' in inner) dropped.push(name);
      else {
        entries.push([name, inner.value]);
        dropped.push(...inner.dropped.map((one) => `${name}.${one}`));
      }
    }
  }
  // Nothing of it fits.
  if (entries.length === 0) return { problem: 'shape' };
  return { value: Object.fromEntries(entries), dropped };
}

function acceptList(part: Part, copied: unknown): Pasted {
  if (!Array.isArray(copied)) return { problem: 'shape' };
  const items = copied.map((item) => acceptItem(part, item));
  const values = items.flatMap((item) => ('problem' in item ? [] : [item.value]));
  const dropped = items.flatMap((item, index) =>
    'problem' in item ? [String(index)] : item.dropped.map((one) => `${index}.${one}`),
  );
  return { value: values, dropped };
}

function fitsKind({ kind }: Part, value: unknown): boolean {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
    case 'date':
    case 'datetime':
      return typeof value === 'string';
    case 'decimal':
      return typeof value === 'string' || typeof value === 'number';
    default:
      return true;
  }
}
