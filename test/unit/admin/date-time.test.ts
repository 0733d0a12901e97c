import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromLocalTime, toLocalTime } from '../../../admin/src/model/date-time.ts';

describe('a date and time in a browser in Berlin', () => {
  const zone = process.env.TZ;
  beforeAll(() => {
    process.env.TZ = 'Europe/Berlin';
  });
  afterAll(() => {
    process.env.TZ = zone;
  });

  test.each([
    ['2026-01-10T10:00:00+01:00', '2026-01-10T10:00'],
    ['2026-01-10T10:00:07Z', '2026-01-10T11:00:07'],
    ['2026-07-10T10:00:00+00:00', '2026-07-10T12:00'],
    ['tomorrow', ''],
    ['2026-01-10', ''],
    ['', ''],
  ])('%s is shown as “%s”', (stored, shown) => {
    expect(toLocalTime(stored)).toBe(shown);
  });

  test.each([
    ['a new value has the offset of the zone', '2026-07-10T12:00', '', '2026-07-10T12:00:00+02:00'],
    [
      'summer time follows the zone',
      '2026-07-10T12:00',
      '2026-01-10T10:00:00+01:00',
      '2026-07-10T12:00:00+02:00',
    ],
    ['a value in UTC stays in UTC', '2026-07-10T12:00', '2026-01-10T10:00:00Z', '2026-07-10T10:00:00Z'],
    [
      'an offset of zero is written as before',
      '2026-07-10T12:00',
      '2026-01-10T10:00:00+00:00',
      '2026-07-10T10:00:00+00:00',
    ],
    ['another offset is kept', '2026-07-10T12:00', '2026-01-10T10:00:00-05:30', '2026-07-10T04:30:00-05:30'],
    ['an empty input is empty', '', '2026-01-10T10:00:00Z', ''],
  ])('%s', (_, local, before, written) => {
    expect(fromLocalTime(local, before)).toBe(written);
  });
});
