import { type Language, LOCALES } from './languages.ts';

// A date-time keeps the day and hour its author wrote, whatever zone the reader is in.
const asDay = (value: string) => new Date(`${value.slice(0, 10)}T00:00:00Z`);

function format(value: string, lang: Language, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(LOCALES[lang], { ...options, timeZone: 'UTC' }).format(asDay(value));
}

/** `12 November 2026`, or `12. November 2026`. */
export const longDay = (value: string, lang: Language): string => format(value, lang, { dateStyle: 'long' });

/** Day, month and year apart, for the tear-off calendar of an event. */
export function dayParts(value: string, lang: Language): { day: string; month: string; year: string } {
  return {
    day: String(Number(value.slice(8, 10))),
    month: format(value, lang, { month: 'short' }),
    year: value.slice(0, 4),
  };
}

/** `05:30 – 08:30`, or `05:30` alone, or over several days both ends in full. */
export function timeSpan(starts: string, ends: string | null, lang: Language): string {
  const from = starts.slice(11, 16);
  if (ends === null) return from;
  const to = ends.slice(11, 16);
  return starts.slice(0, 10) === ends.slice(0, 10)
    ? `${from} – ${to}`
    : `${from} – ${format(ends, lang, { day: 'numeric', month: 'short', year: 'numeric' })}, ${to}`;
}
