import { asDay, canonicalDateTime, canonicalOffset, parseDay, sameInstant } from './date-time.ts';
import { offsetOfLocalTime } from './time-zone.ts';

/** How the dates of a field are read. */
export interface DateReading {
  /** IANA name of the zone of times without an offset, and of the midnights of days. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** The order of `08-07-2022`, which can be two days; undefined if it is unknown. */
  readonly dayFirst?: boolean | undefined;
  /** True if only one value of the field decides the order. */
  readonly dayFirstOnce?: boolean | undefined;
}

/**
 * A date in a form that people write (`Jul 08 2022`, `2022/7/8`, `8 July 2022, 2:30 pm PST`) as a day, `2022-07-08`, or as
 * a date-time like those of `canonicalDateTime`. Undefined for other text, for days that do not exist, and for numbers
 * whose order is unknown. Does not depend on the machine, unlike `Date.parse`.
 */
export function readDate(text: string, { timeZone, dayFirst }: DateReading = {}): string | undefined {
  const trimmed = text.trim();
  const iso = canonicalDateTime(trimmed, timeZone);
  if (iso !== undefined) return trimmed.length === DAY_LENGTH ? trimmed : iso;
  const form = formOf(trimmed.replace(/\s+/g, ' '));
  const day = form && dayOf(form, dayFirst);
  if (form === undefined || day === undefined || parseDay(day) === undefined) return undefined;
  if (form.rest === '') return day;
  const time = TIME.exec(form.rest ?? '')?.groups;
  if (time === undefined) return undefined;
  const { hour = '', minute = '', second = '00', fraction = '', half, zone, place } = time;
  const isAfternoon = half?.toLowerCase() === 'p';
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  const local = `${day}T${twoDigits(hours)}:${minute}:${second}`;
  if (canonicalDateTime(local) === undefined) return undefined;
  const offset = offsetOf(zone ?? place ?? timeZone ?? 'UTC', local);
  return offset && `${local}${fraction}${offset}`;
}

/** The date-time of a date: a day means its midnight in the time zone of the reading. */
export function readDateTime(text: string, reading: DateReading = {}): string | undefined {
  const date = readDate(text, reading);
  return date?.length === DAY_LENGTH ? canonicalDateTime(date, reading.timeZone) : date;
}

/**
 * The instant of a date, for schemas that take a `Date`. Like `new Date(text)`, it reads the month first if the order of
 * the numbers is unknown, and forms such as `March 2024`, but in the time zone of the reading. Invalid for other text.
 */
export function readInstant(text: string, reading: DateReading): Date {
  const date = readDateTime(text, reading) ?? readDateTime(text, { ...reading, dayFirst: false });
  if (date !== undefined) return new Date(date);
  if (formOf(text) !== undefined || ISO_LIKE.test(text)) return new Date(Number.NaN);
  const utc = Date.parse(`${text} UTC`);
  const local = Number.isNaN(utc) ? undefined : new Date(utc).toISOString().slice(0, -'.000Z'.length);
  return new Date((local && canonicalDateTime(local, reading.timeZone)) ?? Date.parse(text));
}

/** Days that do not exist are mistakes, although `new Date` reads some of them. */
const ISO_LIKE = /^\s*(?:\d{4}-\d|\d{1,3}$)/;

/** The kind of a date, or the possible orders of its numbers. Undefined for other text. */
export type WrittenKind = 'date' | 'datetime' | 'day-first' | 'month-first' | 'either-first';

export function writtenKind(text: string): WrittenKind | undefined {
  // A cheap test first, because most strings are not dates.
  if (text.length > LONGEST || text.length < SHORTEST || !LIKELY.test(text)) return undefined;
  const [dayFirst, monthFirst] = [true, false].map((each) => readDate(text, { dayFirst: each }));
  if (dayFirst === monthFirst) {
    return dayFirst === undefined ? undefined : dayFirst.length === DAY_LENGTH ? 'date' : 'datetime';
  }
  if (dayFirst !== undefined && monthFirst !== undefined) return 'either-first';
  return dayFirst === undefined ? 'month-first' : 'day-first';
}

/**
 * Writes a day or a date-time in the form of `before`, which may be another form than ISO 8601. Undefined if `before` is
 * not a date, or if its form cannot express the value.
 */
export function writeLikeDate(value: string, before: string, reading: DateReading): string | undefined {
  const form = formOf(before);
  if (form === undefined || readDate(before, reading) === undefined) return undefined;
  const { rest = '', name, weekday = '' } = form;
  const day =
    rest === '' && value.length > DAY_LENGTH ? asDay(value, reading.timeZone) : value.slice(0, DAY_LENGTH);
  if (day === undefined) return undefined;
  const [year = '', month = '', date = ''] = day.split('-');
  const isPadded = [form.month, form.day, form.one, form.two].every((part) => part?.length !== 1);
  const number = (digits: string) => (isPadded ? digits : String(Number(digits)));
  const dayFirst = form.a === '.' || reading.dayFirst !== false;
  const replaced: Parts = {
    ...{ year, month: number(month), day: number(date) },
    ...{ one: number(dayFirst ? date : month), two: number(dayFirst ? month : date) },
    weekday: wordLike(weekday, WEEKDAYS[new Date(day).getUTCDay()] ?? ''),
    name: wordLike(name ?? '', MONTHS[Number(month) - 1] ?? ''),
    rest: timeLike(value.slice(DAY_LENGTH), rest),
  };
  const text = Object.entries(form)
    .map(([part, own]) => replaced[part] ?? own ?? '')
    .join('');
  // The text must not need the order if the value that it replaces is the only one that decides it.
  const isDecider = reading.dayFirstOnce === true && readDate(before) !== undefined;
  const { timeZone, dayFirst: order } = reading;
  const after: DateReading = isDecider ? { timeZone } : { timeZone, dayFirst: order };
  const [read, wanted] = [text, value].map((each) => readDateTime(each, after));
  return read !== undefined && wanted !== undefined && sameInstant(read, wanted) ? text : undefined;
}

/** `July` for `March`, `Jul` for `Mar` and `Mon, ` for `Fri, `. */
function wordLike(before: string, word: string): string {
  const letters = /^[a-z]*/i.exec(before)?.[0] ?? '';
  if (letters === '') return before;
  const text = letters.length <= SHORT_WORD.length ? word.slice(0, SHORT_WORD.length) : word;
  return (letters === letters.toUpperCase() ? text.toUpperCase() : text) + before.slice(letters.length);
}

/** `time` is `T14:30:00+02:00`; `before` is the time of the form, with what separates it from the day. */
function timeLike(time: string, before: string): string {
  const [, hour = '', minute = '', second = '', offset = ''] = CANONICAL_TIME.exec(time) ?? [];
  return before.replace(CLOCK, (_, digits: string, seconds: string | undefined, half = '', zone = '') => {
    const hours = half === '' ? Number(hour) : Number(hour) % 12 || 12;
    const padded = digits.length === 1 ? String(hours) : twoDigits(hours);
    const halfDay = half.replace(/[ap]/i, (letter: string) => {
      const own = Number(hour) < 12 ? 'a' : 'p';
      return letter === letter.toUpperCase() ? own.toUpperCase() : own;
    });
    const ownZone = zone.replace(/[+-]\d\d:?\d\d$/, (old: string) =>
      old.includes(':') ? offset : offset.replace(':', ''),
    );
    return `${padded}:${minute}${seconds === undefined ? '' : `:${second}`}${halfDay}${ownZone}`;
  });
}

const DAY_LENGTH = '2022-07-08'.length;
const SHORTEST = '1/1/2022'.length;
const LONGEST = 80;
const SHORT_WORD = 'Jul';
const LIKELY = /^\s?(?:\d{1,4}[-/. ]|\d{1,2}(?:st|nd|rd|th) |[a-z]{3,9}[.,]{0,2} )/i;

/** The groups of a form cover all of its text, in order. `rest` is the time. */
const FORMS: readonly RegExp[] = [
  /^(?<year>\d{4})(?<a>[-/])(?<month>\d\d?)(?<b>[-/])(?<day>\d\d?)(?<rest>(?:[t, ].*)?)$/i,
  /^(?<one>\d\d?)(?<a>[-/.])(?<two>\d\d?)(?<b>[-/.])(?<year>\d{4})(?<rest>(?:[t, ].*)?)$/i,
  /^(?<weekday>(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[.,]{0,2} )?)(?<name>[a-z]{3,9})(?<c>\.? )(?<day>\d\d?)(?<d>(?:st|nd|rd|th)?,? )(?<year>\d{4})(?<rest>(?:[t, ].*)?)$/i,
  /^(?<weekday>(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[.,]{0,2} )?)(?<day>\d\d?)(?<c>(?:st|nd|rd|th|\.)?[ -])(?<name>[a-z]{3,9})(?<d>[.,]?[ -])(?<year>\d{4})(?<rest>(?:[t, ].*)?)$/i,
];
const TIME =
  /^(?:t|,? (?:at )?)(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?<fraction>\.\d{1,9})?)?(?: ?(?<half>[ap])\.?m\.?)?(?: ?(?<zone>[a-z+-][\w/:+-]*))?(?: \([^()]*\)|\[(?<place>[\w/+-]+)\])?$/i;
const CLOCK = /(\d\d?):\d\d(?::(\d\d)(?:\.\d+)?)?( ?[ap]\.?m\.?)?( ?[\w/:+-]+)?/i;
const CANONICAL_TIME = /^T(\d\d):(\d\d):(\d\d(?:\.\d+)?)([+-]\d\d:\d\d)$/;

type Parts = Readonly<Record<string, string | undefined>>;

function formOf(text: string): Parts | undefined {
  if (text.length > LONGEST) return undefined;
  const groups = FORMS.map((form) => form.exec(text)?.groups).find((each) => each !== undefined);
  return groups?.a === groups?.b ? groups : undefined;
}

/** Year, month and day with all their digits; undefined if their order or the name of the month is unknown. */
function dayOf(
  { year = '', month, day, name, one, two, a }: Parts,
  dayFirst: boolean | undefined,
): string | undefined {
  const written = (monthText: string, dayText: string) =>
    `${year}-${twoDigits(Number(monthText))}-${twoDigits(Number(dayText))}`;
  if (one === undefined || two === undefined) {
    return written(month ?? String(monthNamed(name ?? '')), day ?? '');
  }
  const orders = [written(two, one), written(one, two)];
  // With dots, the day comes first.
  const [byDay, byMonth] = orders.map((each) => (parseDay(each) === undefined ? undefined : each));
  if (a === '.') return byDay;
  if (dayFirst !== undefined) return dayFirst ? byDay : byMonth;
  return byDay === undefined || byMonth === undefined || byDay === byMonth ? (byDay ?? byMonth) : undefined;
}

/** From 1; 0 for other words. */
function monthNamed(name: string): number {
  const lower = name.toLowerCase();
  if (lower === 'sept') return 9;
  return (
    MONTHS.findIndex((month) => {
      const full = month.toLowerCase();
      return full === lower || full.slice(0, SHORT_WORD.length) === lower;
    }) + 1
  );
}

/** `+02:00`; undefined for an unknown zone. */
function offsetOf(zone: string, local: string): string | undefined {
  const lower = zone.toLowerCase();
  const numeric = /^(?:utc|gmt)?([+-]\d\d(?::?\d\d)?)$/.exec(lower)?.[1];
  if (numeric !== undefined) return canonicalOffset(numeric);
  const known = ZONES[lower];
  if (known !== undefined) return known;
  return offsetOfLocalTime(local, zone);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** Abbreviations that mean one offset, first of all those of RFC 5322; IANA names such as `Europe/Berlin` work too. */
const ZONES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  ...{ z: '+00:00', utc: '+00:00', gmt: '+00:00', ut: '+00:00' },
  ...{ est: '-05:00', edt: '-04:00', cst: '-06:00', cdt: '-05:00' },
  ...{ mst: '-07:00', mdt: '-06:00', pst: '-08:00', pdt: '-07:00' },
  ...{ wet: '+00:00', west: '+01:00', cet: '+01:00', cest: '+02:00', eet: '+02:00', eest: '+03:00' },
});
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
