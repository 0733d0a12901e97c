/** True for IANA names that this machine knows: `Europe/Berlin`, `UTC`. */
export function isTimeZone(name: string): boolean {
  return formatterOf(name) !== undefined;
}

/** The offset of a local time in a zone, `+02:00`; undefined for an unknown zone. `local` is `2024-01-31T18:00:00`. */
export function offsetOfLocalTime(local: string, zone: string): string | undefined {
  if (zone === 'UTC') return '+00:00';
  const asUtc = Date.parse(`${local}Z`);
  const guess = offsetAt(asUtc, zone);
  // The guess is wrong within hours of a change of the clock.
  return guess === undefined ? undefined : offsetAt(asUtc - minutesOf(guess) * MINUTE, zone);
}

/** An instant in a zone, with the offset: `2024-01-31T18:00:00+01:00`. Fractions of a second are dropped. */
export function inTimeZone(instant: number, zone: string): string | undefined {
  const offset = offsetAt(instant, zone);
  if (offset === undefined || Number.isNaN(instant)) return undefined;
  return `${new Date(instant + minutesOf(offset) * MINUTE).toISOString().slice(0, 19)}${offset}`;
}

function offsetAt(instant: number, zone: string): string | undefined {
  const parts = formatterOf(zone)?.formatToParts(instant);
  const name = parts?.find(({ type }) => type === 'timeZoneName')?.value;
  // `GMT+02:00`, and `GMT` for none. Old offsets have seconds, which RFC 3339 cannot express.
  return name === undefined ? undefined : name.slice('GMT'.length, 'GMT+02:00'.length) || '+00:00';
}

function minutesOf(offset: string): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return offset.startsWith('-') ? -minutes : minutes;
}

const MINUTE = 60_000;
/** By name: creating a formatter takes 1,000 times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const cached = formatters.get(zone);
  if (cached !== undefined) return cached;
  try {
    const created = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formatters.set(zone, created);
    return created;
  } catch {
    // A RangeError: there is no such zone.
    return undefined;
  }
}
