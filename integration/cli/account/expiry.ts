import { UsageError } from '../command.ts';

const UNIT_HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 24 * 7 };
const HOUR_MS = 3_600_000;
/** Ten years. */
const MAX_HOURS = 24 * 3653;

/** `90d`, `12h`, `8w`, a date such as `2027-01-31` (its end, UTC), or `never`: null. Throws UsageError. */
export function readExpiry(written: string, now: number): Date | null {
  if (written === 'never') return null;
  const [, count, unit = ''] = /^(\d{1,6})([hdw])$/.exec(written) ?? [];
  const hours =
    count === undefined ? (endOf(written) - now) / HOUR_MS : Number(count) * (UNIT_HOURS[unit] ?? 0);
  if (hours > 0 && hours <= MAX_HOURS) return new Date(now + hours * HOUR_MS);
  throw new UsageError(
    `--expires cannot be \`${written}\`. Valid: a time ahead, up to ten years, such as 12h, 90d, 8w or 2030-01-31; or never.`,
  );
}

/** `expires`: an ISO date-time, null for never. */
export function describeExpiry(expires: string | null): string {
  return expires === null ? 'without an end' : `until ${expires.slice(0, 16).replace('T', ' ')} UTC`;
}

/** NaN for what is no date. */
function endOf(written: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(written)) return Number.NaN;
  const start = new Date(`${written}T00:00:00Z`);
  const isReal = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(written);
  return isReal ? start.getTime() + 24 * HOUR_MS : Number.NaN;
}
