/** The calendar day as written, `2024-01-12`, where it exists. */
export function parseDay(text: string): string | undefined {
  return DAY.test(text) && dayExists(text) ? text : undefined;
}

/** Whether a text says a day and a time of day, in a form that `canonicalDateTime` takes. */
export function isDateTime(text: string): boolean {
  return text.length > 10 && canonicalDateTime(text) !== undefined;
}

/** Whether a text has the form of a day or of a day and a time, but names none that exists. */
export function isStrayDate(text: string): boolean {
  return text[4] === '-' && DATE_TIME.test(text) && canonicalDateTime(text) === undefined;
}

/**
 * RFC 3339 with seconds and the written offset, `2024-01-07T12:00:01+01:00`. Takes any ISO 8601 form: a day alone is
 * its midnight, a time without an offset is UTC, `Z` becomes `+00:00`, fractions of a second stay. Undefined for
 * anything else, a day or time that does not exist included.
 */
export function canonicalDateTime(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  if (!dayExists(day) || hour > '23' || minute > '59' || second > '59') {
    return undefined;
  }
  const offset = canonicalOffset(zone);
  return offset === undefined ? undefined : `${day}T${hour}:${minute}:${second}${fraction}${offset}`;
}

/** The instant in UTC; undefined beyond the years 0000 to 9999. */
export function dateTimeOfSeconds(seconds: number): string | undefined {
  const milliseconds = Math.floor(seconds) * 1000;
  if (!(milliseconds >= FIRST_MS && milliseconds <= LAST_MS)) {
    return undefined;
  }
  const known = written.get(milliseconds);
  if (known !== undefined) return known;
  const text = `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`;
  if (written.size >= WRITTEN_AT_MOST) written.clear();
  written.set(milliseconds, text);
  return text;
}

/** Many files are of one commit, or were checked out within one second. */
const written = new Map<number, string>();
const WRITTEN_AT_MOST = 1000;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:(?:[Tt]|[ \t]+)(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?[ \t]*([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;
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

function canonicalOffset(zone: string): string | undefined {
  if (zone === 'Z' || zone === 'z') {
    return '+00:00';
  }
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [digits.slice(0, 2), digits.slice(2)];
  if (hours > '23' || minutes > '59') {
    return undefined;
  }
  return digits === '0000' ? '+00:00' : `${zone[0]}${hours}:${minutes}`;
}
