import { inTimeZone, offsetOfLocalTime } from './time-zone.ts';

/** The calendar day as written, `2024-01-12`, if it exists. */
export function parseDay(text: string): string | undefined {
  return DAY.test(text) && dayExists(text) ? text : undefined;
}

/** True if a string looks like a day or a date-time that does not exist. */
export function isInvalidDate(text: string): boolean {
  return text[4] === '-' && DATE_TIME.test(text) && canonicalDateTime(text) === undefined;
}

/**
 * RFC 3339 with seconds and the written offset, `2024-01-07T12:00:01+01:00`. Accepts any ISO 8601 form: a day means its
 * midnight, a time without an offset is in `timeZone`, `Z` becomes `+00:00`, fractions of a second stay. Undefined for
 * anything else, including a day or time that does not exist.
 */
export function canonicalDateTime(text: string, timeZone = 'UTC'): string | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', zone] = match;
  if (!dayExists(day) || hour > '23' || minute > '59' || second > '59') return undefined;
  const local = `${day}T${hour}:${minute}:${second}`;
  const offset = zone === undefined ? offsetOfLocalTime(local, timeZone) : canonicalOffset(zone);
  return offset === undefined ? undefined : `${local}${fraction}${offset}`;
}

/** The UTC date-time of Unix seconds; undefined outside the years 0000 to 9999. */
export function dateTimeOfSeconds(seconds: number): string | undefined {
  const milliseconds = Math.floor(seconds) * 1000;
  if (!(milliseconds >= FIRST_MS && milliseconds <= LAST_MS)) return undefined;
  const cached = dateTimes.get(milliseconds);
  if (cached !== undefined) return cached;
  // Joined, because a sum of strings keeps its parts and takes twice the memory.
  const text = [new Date(milliseconds).toISOString().slice(0, 19), '+00:00'].join('');
  if (dateTimes.size >= MAX_DATE_TIMES) dateTimes.clear();
  dateTimes.set(milliseconds, text);
  return text;
}

/** The UTC date-time of an instant, with the fraction of its second if there is one. */
export function dateTimeOfMilliseconds(milliseconds: number): string | undefined {
  const text = dateTimeOfSeconds(milliseconds / 1000);
  const isWhole = Math.floor(milliseconds) % 1000 === 0;
  return isWhole || text === undefined ? text : new Date(milliseconds).toISOString().replace('Z', '+00:00');
}

/** The UTC date-time of Unix seconds or milliseconds. */
export function unixTime(time: number): string | undefined {
  return isMilliseconds(time) ? dateTimeOfMilliseconds(time) : dateTimeOfSeconds(time);
}

/** Dendron and JavaScript count milliseconds. As seconds, such numbers would be in the year 5138 and later. */
export function isMilliseconds(time: number): boolean {
  return Math.abs(time) >= 1e11;
}

/** Many files share a commit, or a second of the checkout. */
const dateTimes = new Map<number, string>();
const MAX_DATE_TIMES = 1000;

/** True if two date-times are the same instant, in any offset. */
export function sameInstant(a: string, b: string): boolean {
  return a === b || toUtc(a) === toUtc(b);
}

/** Forms to write an instant in, in the order in which they are tried until the schema accepts one. */
export const DATE_TIME_FORMS = ['as before', 'UTC', 'no zone', 'day'] as const;
export type DateTimeForm = (typeof DATE_TIME_FORMS)[number];

/**
 * Writes a date-time in a form; 'as before' copies separator, precision and zone of `before` if they can express it. Times
 * without an offset are in `timeZone`.
 */
export function writeDateTime(
  value: string,
  before: string | undefined,
  form: DateTimeForm,
  timeZone = 'UTC',
): string {
  switch (form) {
    case 'as before':
      return before === undefined ? value : writtenLike(value, before, timeZone);
    case 'UTC':
      return toUtc(value).replace('+00:00', 'Z');
    case 'no zone':
      return inZone(value, timeZone).replace(OFFSET, '');
    case 'day':
      return asDay(value, timeZone) ?? value;
    default:
      return form satisfies never;
  }
}

/** The day whose midnight in `timeZone` the date-time is. */
export function asDay(value: string, timeZone = 'UTC'): string | undefined {
  const local = inZone(value, timeZone).replace(OFFSET, '');
  return local.endsWith(MIDNIGHT) ? local.slice(0, 10) : undefined;
}

/** The same instant with the offset of a zone. */
function inZone(value: string, timeZone: string): string {
  const utc = toUtc(value);
  if (timeZone === 'UTC') return utc;
  const [, , fraction = ''] = PARTS.exec(utc) ?? [];
  const local = inTimeZone(Date.parse(utc), timeZone);
  return local === undefined ? utc : local.slice(0, 19) + fraction + local.slice(19);
}

/** The canonical date-time in UTC, without trailing zeros in the fraction. */
function toUtc(value: string): string {
  const parts = PARTS.exec(canonicalDateTime(value) ?? value);
  if (parts === null) return value;
  const [, whole = '', fraction = '', offset = ''] = parts;
  const utc =
    offset === '+00:00' ? whole : new Date(`${whole}${offset}`).toISOString().slice(0, -'.000Z'.length);
  return `${utc}${fraction.replace(/\.?(?<!0)0+$/, '')}+00:00`;
}

function writtenLike(value: string, before: string, timeZone: string): string {
  const canonical = canonicalDateTime(value) ?? value;
  if (before.length === 10) return asDay(canonical, timeZone) ?? value;
  const match = WRITTEN.exec(before);
  if (match === null) return value;
  const [, separator = 'T', seconds, zone = ''] = match;
  let text = canonical.replace('T', separator);
  if (seconds === undefined) text = text.replace(/(:\d\d):00(?=[+-]\d\d:\d\d$)/, '$1');
  if (zone === '') text = text.replace(OFFSET, '');
  if (/^z$/i.test(zone)) text = text.replace(/\+00:00$/, zone);
  return text !== canonical && canonicalDateTime(text, timeZone) === canonical ? text : value;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:(?:[Tt]|[ \t]+)(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?[ \t]*([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;
const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d:\d\d)$/;
const WRITTEN = /^\d{4}-\d\d-\d\d([Tt]|[ \t]+)\d\d:\d\d(:\d\d(?:\.\d+)?)?[ \t]*([Zz]|[+-]\d\d(?::?\d\d)?)?$/;
const OFFSET = /[+-]\d\d:\d\d$/;
const MIDNIGHT = 'T00:00:00';
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

function dayExists(day: string): boolean {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const lengths = [31, isLeapYear(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return date >= 1 && date <= (lengths[month - 1] ?? 0);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** `+02:00` for `+02`, `+0200` and `+02:00`; undefined for an offset of more than a day. */
export function canonicalOffset(zone: string): string | undefined {
  if (zone === 'Z' || zone === 'z') return '+00:00';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [digits.slice(0, 2), digits.slice(2)];
  if (hours > '23' || minutes > '59') return undefined;
  return digits === '0000' ? '+00:00' : `${zone[0]}${hours}:${minutes}`;
}
