import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalDateTime,
  dateTimeOfSeconds,
  parseDay,
} from '../../../integration/core/source/date-time.ts';

describe('date-times', () => {
  it.each([
    ['2024-01-07', '2024-01-07T00:00:00+00:00'],
    ['2024-01-07T12:00:01Z', '2024-01-07T12:00:01+00:00'],
    ['2024-01-07t12:00:01z', '2024-01-07T12:00:01+00:00'],
    ['2024-01-07T12:00:01+01:00', '2024-01-07T12:00:01+01:00'],
    ['2024-01-07T12:00:01-0330', '2024-01-07T12:00:01-03:30'],
    ['2024-01-07T12:00:01+02', '2024-01-07T12:00:01+02:00'],
    ['2024-01-07T12:00:01-00:00', '2024-01-07T12:00:01+00:00'],
    ['2024-01-07 12:00:01 +01:00', '2024-01-07T12:00:01+01:00'],
    ['2024-01-07T12:00', '2024-01-07T12:00:00+00:00'],
    ['2024-01-07T12:00:01.250+01:00', '2024-01-07T12:00:01.250+01:00'],
    ['2024-02-29', '2024-02-29T00:00:00+00:00'],
  ])('%s is %s', (written, canonical) => {
    expect(canonicalDateTime(written)).toBe(canonical);
  });

  it.each([
    ['2024-02-30'],
    ['2023-02-29'],
    ['1900-02-29'],
    ['2024-13-01'],
    ['2024-00-10'],
    ['2024-01-00'],
    ['2024-1-7'],
    ['2024-01-07T24:00'],
    ['2024-01-07T12:60'],
    ['2024-01-07T12:00:60'],
    ['2024-01-07T12:00+24:00'],
    ['2024-01-07T12'],
    ['07.01.2024'],
    ['20240107'],
    ['tomorrow'],
    ['2024-01-07T12:00:01Z and more'],
    [''],
  ])('%j is invalid', (written) => {
    expect(canonicalDateTime(written)).toBeUndefined();
  });

  it.each([
    [0, '1970-01-01T00:00:00+00:00'],
    [1_704_628_801, '2024-01-07T12:00:01+00:00'],
    [1_704_628_801.9, '2024-01-07T12:00:01+00:00'],
    [-62_167_219_200, '0000-01-01T00:00:00+00:00'],
    [253_402_300_799, '9999-12-31T23:59:59+00:00'],
  ])('%d seconds are %s', (seconds, canonical) => {
    expect(dateTimeOfSeconds(seconds)).toBe(canonical);
  });

  it.each([
    [253_402_300_800],
    [-62_167_219_201],
    [1_704_628_801_000],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
  ])('%d seconds are outside the range of dates', (seconds) => {
    expect(dateTimeOfSeconds(seconds)).toBeUndefined();
  });

  it('stay the same if canonical, and only days of the calendar exist', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const canonical = canonicalDateTime(date.toISOString());
          expect(canonical && canonicalDateTime(canonical)).toBe(canonical);
          expect(Date.parse(canonical ?? '')).toBe(date.getTime());
          expect(parseDay(date.toISOString().slice(0, 10))).toBeDefined();
        },
      ),
    );
  });
});
