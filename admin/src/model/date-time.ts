import { dateTimeText } from './document.ts';

/** The wall-clock time in the browser's zone, as an input of type `datetime-local` holds it; empty for other texts. */
export function toLocalTime(text: string): string {
  const date = new Date(text);
  if (!DATE_TIME.test(text) || Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() + offsetIn(date) * 60_000).toISOString();
  return local.slice(0, local.slice(17, 19) === '00' ? 16 : 19);
}

/**
 * RFC 3339 of a wall-clock time in the browser's zone. The offset is that of the zone, unless the value before was written
 * with another one, such as `Z`.
 */
export function fromLocalTime(local: string, before = ''): string {
  const date = new Date(local);
  if (local === '' || Number.isNaN(date.getTime())) return '';
  const [, offset] = DATE_TIME.exec(before) ?? [];
  if (offset === undefined) return dateTimeText(date);
  if (minutesOf(offset) === offsetIn(new Date(before))) {
    const text = dateTimeText(date);
    return offset === '+00:00' ? text.replace(/Z$/, offset) : text;
  }
  const wall = new Date(date.getTime() + minutesOf(offset) * 60_000).toISOString().slice(0, 19);
  return wall + offset;
}

/** Such as `UTC+2` in the browser's zone at this time. */
export function zoneName(text: string, language: string): string {
  const date = new Date(text);
  if (text === '' || Number.isNaN(date.getTime())) return '';
  const parts = new Intl.DateTimeFormat(language, { timeZoneName: 'short' }).formatToParts(date);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

function minutesOf(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function offsetIn(date: Date): number {
  return -date.getTimezoneOffset();
}
