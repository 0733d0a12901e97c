import type { FieldKind } from '../../integration/core/content/model.ts';
import type { Scalar } from '../../integration/core/engine/ast.ts';

/** A decimal as an exact fraction: `digits / 10^scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/**
 * Compares two values of one field: below 0, 0, above 0; NaN if one of them is not of the kind, so that nothing equals
 * it and everything differs from it. `left` and `right` are stored values or values of a
 * query. `field` is the field's public name: `created` and `changed` also accept Unix seconds.
 */
export function compareValues(
  left: Scalar,
  right: Scalar,
  kind: FieldKind | 'id',
  field: string,
  locale: string,
): number {
  switch (kind) {
    case 'id':
      return compareCodeUnits(String(left), String(right));
    case 'string':
      return collator(locale).compare(String(left), String(right));
    case 'integer':
    case 'number':
      return number(left) - number(right);
    case 'decimal':
      return compareDecimals(decimal(left), decimal(right));
    case 'boolean':
      return truth(left) - truth(right);
    case 'date':
      return compareCodeUnits(day(left), day(right));
    case 'datetime':
      return instant(left, field) - instant(right, field);
    case 'reference':
    case 'object':
    case 'formatted_text':
    case 'image':
    case 'file':
    case 'json':
      throw new Error(`A field of kind ${kind} has no order.`);
    default:
      return kind satisfies never;
  }
}

/** The string that STARTS_WITH, CONTAINS and ENDS_WITH compare. */
export function foldedText(value: Scalar): string {
  const text = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  return text.normalize('NFC').toLowerCase();
}

export function compareCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

const collators = new Map<string, Intl.Collator>();

function collator(locale: string): Intl.Collator {
  const collator = collators.get(locale) ?? new Intl.Collator(locale, { sensitivity: 'accent' });
  collators.set(locale, collator);
  return collator;
}

function number(value: Scalar): number {
  return /\d/.test(String(value)) ? Number(value) : Number.NaN;
}

function decimal(value: Scalar): Decimal | undefined {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(String(value).trim());
  if (!parts || !/\d/.test(String(value))) return undefined;
  const [, sign = '', whole = '', fraction = ''] = parts;
  const digits = BigInt(`${whole}${fraction}` || '0');
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length };
}

function compareDecimals(left: Decimal | undefined, right: Decimal | undefined): number {
  if (!left || !right) return Number.NaN;
  const a = left.digits * 10n ** BigInt(right.scale);
  const b = right.digits * 10n ** BigInt(left.scale);
  return a < b ? -1 : a > b ? 1 : 0;
}

function truth(value: Scalar): number {
  if (value === true || value === 1 || value === '1' || value === 'true') return 1;
  return value === false || value === 0 || value === '0' || value === 'false' ? 0 : Number.NaN;
}

function day(value: Scalar): string {
  return String(value).slice(0, 10);
}

/** Milliseconds since the Unix epoch. */
function instant(value: Scalar, field: string): number {
  const text = String(value);
  if ((field === 'created' || field === 'changed') && /^-?\d+$/.test(text)) return Number(text) * 1000;
  const zoned = /^\d{4}-\d\d-\d\d$|(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
  return Date.parse(zoned);
}
