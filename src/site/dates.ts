const LONG = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const SHORT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });

// A date-time keeps the day and hour its author wrote, whatever zone the reader is in.
const asDay = (value: string) => new Date(`${value.slice(0, 10)}T00:00:00Z`);

/** `12 November 2026`. */
export const longDay = (value: string): string => LONG.format(asDay(value));

/** `12 Nov 2026`. */
const shortDay = (value: string): string => SHORT.format(asDay(value));

/** Day, month and year apart, for the tear-off calendar of an event. */
export function dayParts(value: string): { day: string; month: string; year: string } {
  return {
    day: String(Number(value.slice(8, 10))),
    month: MONTH.format(asDay(value)),
    year: value.slice(0, 4),
  };
}

/** `05:30 to 08:30`, or `05:30` alone, or over several days both ends in full. */
export function timeSpan(starts: string, ends: string | null): string {
  const from = starts.slice(11, 16);
  if (ends === null) return from;
  const to = ends.slice(11, 16);
  return starts.slice(0, 10) === ends.slice(0, 10)
    ? `${from} to ${to}`
    : `${from}, until ${shortDay(ends)}, ${to}`;
}
