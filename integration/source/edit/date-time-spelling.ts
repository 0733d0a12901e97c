import { canonicalDateTime } from '../date-time.ts';

/** Ways to write an instant, in the order in which they are tried until the schema takes one. */
export const DATE_TIME_FORMS = ['as before', 'UTC', 'no zone', 'day'] as const;
export type DateTimeForm = (typeof DATE_TIME_FORMS)[number];

/**
 * A date-time as it is written: with the separator, precision and zone of `before`, the text that it replaces, as far
 * as these can say it.
 */
export function spellDateTime(value: string, before: string | undefined, form: DateTimeForm): string {
  switch (form) {
    case 'as before':
      return before === undefined ? value : spelledAs(value, before);
    case 'UTC':
      return inUtc(value).replace('+00:00', 'Z');
    case 'no zone':
      return inUtc(value).replace('+00:00', '');
    case 'day':
      return inUtc(value).endsWith(MIDNIGHT) ? inUtc(value).slice(0, 10) : value;
    default:
      return form satisfies never;
  }
}

/** Whether two date-times are one instant, whatever their offsets. */
export function sameInstant(a: string, b: string): boolean {
  return a === b || inUtc(a) === inUtc(b);
}

/** The date-time in UTC and canonical, without zeros at the end of a fraction. */
function inUtc(value: string): string {
  const parts = PARTS.exec(canonicalDateTime(value) ?? value);
  if (parts === null) return value;
  const [, whole = '', fraction = '', offset = ''] = parts;
  const utc =
    offset === '+00:00' ? whole : new Date(`${whole}${offset}`).toISOString().slice(0, -'.000Z'.length);
  return `${utc}${fraction.replace(/\.?(?<!0)0+$/, '')}+00:00`;
}

function spelledAs(value: string, before: string): string {
  const canonical = canonicalDateTime(value) ?? value;
  if (before.length === 10 && canonical.endsWith(MIDNIGHT)) return canonical.slice(0, 10);
  const written = WRITTEN.exec(before);
  if (written === null) return value;
  const [, separator = 'T', seconds, zone = ''] = written;
  let spelled = canonical.replace('T', separator);
  if (seconds === undefined) spelled = spelled.replace(/(:\d\d):00(?=[+-]\d\d:\d\d$)/, '$1');
  if (zone === '' || /^z$/i.test(zone)) spelled = spelled.replace(/\+00:00$/, zone);
  return spelled !== canonical && canonicalDateTime(spelled) === canonical ? spelled : value;
}

const MIDNIGHT = 'T00:00:00+00:00';
const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d:\d\d)$/;
const WRITTEN = /^\d{4}-\d\d-\d\d([Tt]|[ \t]+)\d\d:\d\d(:\d\d(?:\.\d+)?)?[ \t]*([Zz]|[+-]\d\d(?::?\d\d)?)?$/;
