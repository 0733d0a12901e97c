import { idSpellings } from '../../content/resource-type.ts';
import { BadParameterError } from '../../util/errors.ts';
import type { Condition, Scalar } from '../ast.ts';
import { type ColumnKind, foldText, type Raw } from '../store/ordering.ts';

/**
 * The value of a condition, coerced to the kind of the column. A value that no value of the kind equals (`abc` for a
 * number) is left out of `values`, as in Drupal: nothing equals it, and every value differs from it.
 */
export type Operand =
  /** IS NULL, IS NOT NULL. */
  | { readonly kind: 'null-test'; readonly isNull: boolean }
  /** A comparison without a value: nothing matches. */
  | { readonly kind: 'nothing' }
  /** `=`, IN (and, negated, `<>`, NOT IN). */
  | { readonly kind: 'any-of'; readonly values: readonly Raw[]; readonly negated: boolean }
  /** BETWEEN (and NOT BETWEEN), both ends included; undefined if an end is not of the kind. */
  | { readonly kind: 'between'; readonly ends: readonly [Raw, Raw] | undefined; readonly negated: boolean }
  | { readonly kind: 'compare'; readonly operator: '>' | '>=' | '<' | '<='; readonly value: Raw | undefined }
  | {
      readonly kind: 'search';
      readonly operator: 'CONTAINS' | 'STARTS_WITH' | 'ENDS_WITH';
      readonly folded: string;
    };

/** The operand of a condition on a column of `kind`. `unix`: a bare number means Unix seconds. Throws BadParameterError. */
export function coerce(condition: Condition, kind: ColumnKind, unix: boolean): Operand {
  const { operator, value } = condition;
  const convert = (scalar: Scalar) => COERCIONS[kind](scalar, { condition, unix });
  switch (operator) {
    case 'IS NULL':
    case 'IS NOT NULL':
      return { kind: 'null-test', isNull: operator === 'IS NULL' };
    case '=':
    case '<>':
    case 'IN':
    case 'NOT IN': {
      if (value === null) return { kind: 'nothing' };
      const scalars = operator === '=' || operator === '<>' ? [singleValue(condition)] : [value].flat();
      const spelled = kind === 'id' ? scalars.flatMap((scalar) => idSpellings(String(scalar))) : scalars;
      const values = spelled.map(convert).filter((raw) => raw !== undefined);
      return { kind: 'any-of', values, negated: operator === '<>' || operator === 'NOT IN' };
    }
    case 'BETWEEN':
    case 'NOT BETWEEN': {
      if (value === null) return { kind: 'nothing' };
      const [from, to] = [value].flat();
      if (from === undefined || to === undefined) {
        throw bad(
          condition,
          `${operator} takes two values on ${condition.path}: the lowest and the highest.`,
        );
      }
      const [low, high] = [convert(from), convert(to)];
      const ends = low === undefined || high === undefined ? undefined : ([low, high] as const);
      return { kind: 'between', ends, negated: operator === 'NOT BETWEEN' };
    }
    case '>':
    case '>=':
    case '<':
    case '<=':
      return value === null
        ? { kind: 'nothing' }
        : { kind: 'compare', operator, value: convert(singleValue(condition)) };
    case 'CONTAINS':
    case 'STARTS_WITH':
    case 'ENDS_WITH': {
      if (value === null) return { kind: 'nothing' };
      return { kind: 'search', operator, folded: foldText(asText(singleValue(condition), kind)) };
    }
    default:
      return operator satisfies never;
  }
}

/** True if a missing value satisfies the condition. */
export function matchesNull({ operator }: Condition): boolean {
  return operator === 'IS NULL';
}

interface Context {
  readonly condition: Condition;
  readonly unix: boolean;
}

type Coercion = (scalar: Scalar, context: Context) => Raw | undefined;

const string: Coercion = (scalar) => String(scalar);
const number: Coercion = (scalar) => {
  const trimmed = String(scalar).trim();
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined;
};

const COERCIONS: Readonly<Record<ColumnKind, Coercion>> = {
  string,
  id: string,
  reference: string,
  presence: number,
  integer: number,
  number,
  decimal: (scalar) => {
    const trimmed = String(scalar).trim();
    return DECIMAL.test(trimmed) ? trimmed : undefined;
  },
  boolean: (scalar) => BOOLEANS.get(String(scalar).trim().toLowerCase()),
  date: (scalar, context) => {
    const instant = parseInstant(String(scalar));
    if (instant === undefined) throw notADate(context, '2024-01-31');
    return instant.slice(0, instant.indexOf('T'));
  },
  datetime: (scalar, context) => {
    const trimmed = String(scalar).trim();
    if (context.unix && UNIX_SECONDS.test(trimmed)) return new Date(Number(trimmed) * 1000).toISOString();
    const instant = parseInstant(trimmed);
    if (instant === undefined) throw notADate(context, '2024-01-31T18:00:00+01:00');
    return instant;
  },
};

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const UNIX_SECONDS = /^-?\d{1,11}$/;
const BOOLEANS: ReadonlyMap<string, number> = new Map([
  ['1', 1],
  ['true', 1],
  ['0', 0],
  ['false', 0],
]);

const ISO =
  /^(?<year>\d{4})(?:-?(?<month>\d\d)(?:-?(?<day>\d\d)(?:[T ](?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?<fraction>[.,]\d+)?)?)?)?)?)?(?<zone>Z|[+\- ]\d\d:?(?:\d\d)?)?$/i;

/**
 * Converts any ISO 8601 date or date-time, extended or basic, to `YYYY-MM-DDTHH:MM:SS.sss±HH:MM`; undefined if it is
 * invalid. The default offset is UTC. A space before the offset is a `+` that was not percent-encoded in the URL.
 */
export function parseInstant(text: string): string | undefined {
  const parts = ISO.exec(text.trim())?.groups;
  if (parts === undefined) return undefined;
  const {
    year = '',
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
  } = parts;
  const zone = parts.zone ?? 'Z';
  const offset = /^z$/i.test(zone)
    ? '+00:00'
    : zone
        .replace(' ', '+')
        .replace(/^(.\d\d):?(\d\d)?$/, (_, hours: string, minutes?: string) => `${hours}:${minutes ?? '00'}`);
  if (Number(day) < 1 || Number(day) > daysOfMonth(Number(year), Number(month))) return undefined;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.replace(',', '.')}${offset}`;
  return Number.isNaN(Date.parse(iso)) ? undefined : iso;
}

function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function asText(scalar: Scalar, kind: ColumnKind): string {
  return kind === 'boolean' && typeof scalar === 'boolean' ? String(Number(scalar)) : String(scalar);
}

function singleValue(condition: Condition): Scalar {
  const { value, operator, path } = condition;
  const scalar = Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value;
  if (scalar === undefined || scalar === null || typeof scalar === 'object') {
    throw bad(condition, `${operator} compares ${path} with one value. For a list, use IN or NOT IN.`);
  }
  return scalar;
}

function notADate({ condition }: Context, example: string): BadParameterError {
  return bad(condition, `${condition.path} must be compared with a date such as ${example}.`);
}

function bad(condition: Condition, detail: string): BadParameterError {
  return new BadParameterError(condition.parameter ?? 'filter', detail);
}
