import { describe, expect, it } from 'vitest';
import {
  readDate,
  readDateTime,
  writeLikeDate,
  writtenKind,
} from '../../../integration/core/source/written-date.ts';

describe('dates as people write them', () => {
  it.each([
    ['2022-07-08', '2022-07-08'],
    ['Jul 08 2022', '2022-07-08'],
    ['July 8, 2022', '2022-07-08'],
    ['Sept. 8 2022', '2022-09-08'],
    ['8 Jul 2022', '2022-07-08'],
    ['8th July 2022', '2022-07-08'],
    ['08-Jul-2022', '2022-07-08'],
    ['Friday, 8 July 2022', '2022-07-08'],
    ['Fri, Jul 8, 2022', '2022-07-08'],
    ['2022/07/08', '2022-07-08'],
    ['2022/7/8', '2022-07-08'],
    ['2020-1-5', '2020-01-05'],
    ['8.7.2022', '2022-07-08'],
    ['25/07/2022', '2022-07-25'],
    ['07/25/2022', '2022-07-25'],
    ['07-07-2022', '2022-07-07'],
    ['2022-07-08 14:00', '2022-07-08T14:00:00+00:00'],
    ['2022-07-08 9:05', '2022-07-08T09:05:00+00:00'],
    ['2023-01-29 18:30:22 -0800', '2023-01-29T18:30:22-08:00'],
    ['2022-07-08 14:00 UTC', '2022-07-08T14:00:00+00:00'],
    ['2022-07-08 14:00:30 PST', '2022-07-08T14:00:30-08:00'],
    ['2022-07-08 14:00 Europe/Berlin', '2022-07-08T14:00:00+02:00'],
    ['2022-07-08T14:00:00[Asia/Tokyo]', '2022-07-08T14:00:00+09:00'],
    ['Jul 8, 2022 2:30 PM', '2022-07-08T14:30:00+00:00'],
    ['July 8, 2022 at 12:05 a.m.', '2022-07-08T00:05:00+00:00'],
    ['Fri, 08 Jul 2022 14:00:00 GMT', '2022-07-08T14:00:00+00:00'],
    ['Fri Jul 08 2022 02:00:00 GMT+0200 (Central European Summer Time)', '2022-07-08T02:00:00+02:00'],
    ['Fri Jul 08 2022 02:00:00 GMT+0200 (CEST)', '2022-07-08T02:00:00+02:00'],
    ['2022/07/08 14:00:00.250 +01:00', '2022-07-08T14:00:00.250+01:00'],
  ])('%j is %s', (text, date) => {
    expect(readDate(text)).toBe(date);
  });

  it.each([
    ['08-07-2022'],
    ['2022-02-30'],
    ['Feb 30 2022'],
    ['Foo 8 2022'],
    ['Mon 8 2022'],
    ['July 2022'],
    ['2022'],
    ['2022.07.08'],
    ['2022/07-08'],
    ['8/7/22'],
    ['2022-07-08 14:00 XYZ'],
    ['2022-07-08 14:00 Mars/Olympus'],
    ['2022-07-08 25:00'],
    ['2022-07-08 13:00 pm'],
    ['2023-01-29 18:30:22 2023 -0800'],
    ['Version 8 2022'],
    ['8 May 2022 was warm'],
    ['constructor 8 2022'],
    [''],
  ])('%j is not a date', (text) => {
    expect(readDate(text)).toBeUndefined();
    expect(['either-first', undefined]).toContain(writtenKind(text));
  });

  it('have an order of day and month that the field decides', () => {
    expect(readDate('08-07-2022', { dayFirst: true })).toBe('2022-07-08');
    expect(readDate('08-07-2022', { dayFirst: false })).toBe('2022-08-07');
    expect(readDate('25-07-2022', { dayFirst: false })).toBeUndefined();
    expect(writtenKind('08-07-2022')).toBe('either-first');
    expect(writtenKind('25-07-2022')).toBe('day-first');
    expect(writtenKind('07-25-2022')).toBe('month-first');
    expect(writtenKind('07-07-2022')).toBe('date');
  });

  it('are in the time zone of the site, in summer and winter and around the change of the clock', () => {
    const timeZone = 'America/New_York';
    expect(readDate('Jul 08 2022', { timeZone })).toBe('2022-07-08');
    expect(readDateTime('Jul 08 2022', { timeZone })).toBe('2022-07-08T00:00:00-04:00');
    expect(readDateTime('2022-01-08', { timeZone })).toBe('2022-01-08T00:00:00-05:00');
    expect(readDateTime('2022-07-08 14:00', { timeZone })).toBe('2022-07-08T14:00:00-04:00');
    expect(readDateTime('2022-07-08T14:00Z', { timeZone })).toBe('2022-07-08T14:00:00+00:00');
    expect(readDateTime('2022-03-13 01:59', { timeZone })).toBe('2022-03-13T01:59:00-05:00');
    expect(readDateTime('2022-03-13 03:00', { timeZone })).toBe('2022-03-13T03:00:00-04:00');
    expect(readDateTime('2022-11-06 03:00', { timeZone })).toBe('2022-11-06T03:00:00-05:00');
  });

  it.each([
    ['Jul 08 2022', '2026-11-23', 'Nov 23 2026'],
    ['July 8, 2022', '2026-11-03', 'November 3, 2026'],
    ['Fri, 8 July 2022', '2026-11-23', 'Mon, 23 November 2026'],
    ['2022/07/08', '2026-01-03', '2026/01/03'],
    ['2020-1-5', '2026-11-03', '2026-11-3'],
    ['8.7.2022', '2026-11-03', '3.11.2026'],
    ['25/07/2022', '2026-11-23', '23/11/2026'],
    ['25/07/2022', '2026-11-03', '03/11/2026'],
    ['Jul 08 2022', '2026-11-23T00:00:00+00:00', 'Nov 23 2026'],
    ['Jul 08 2022', '2026-11-23T10:00:00+00:00', undefined],
    ['2022/07/08 14:00', '2026-11-23T10:05:00+00:00', '2026/11/23 10:05'],
    ['2022/07/08 14:00', '2026-11-23T10:05:07+00:00', undefined],
    ['Jul 8, 2022 2:30 PM', '2026-11-23T00:05:00+00:00', 'Nov 23, 2026 12:05 AM'],
    ['2022/07/08 14:00:00 +0200', '2026-11-23T10:05:07+01:00', '2026/11/23 10:05:07 +0100'],
    ['2022-07-08', '2026-11-23', '2026-11-23'],
    ['soon', '2026-11-23', undefined],
  ])('a value beside %j: %s is written %s', (before, value, written) => {
    expect(writeLikeDate(value, before, { dayFirst: true })).toBe(written);
  });

  it('stay unambiguous if only one value shows the order', () => {
    const reading = { dayFirst: true, dayFirstOnce: true };
    expect(writeLikeDate('2026-11-03', '25/07/2022', reading)).toBeUndefined();
    expect(writeLikeDate('2026-11-23', '25/07/2022', reading)).toBe('23/11/2026');
    expect(writeLikeDate('2026-11-03', '08/07/2022', reading)).toBe('03/11/2026');
  });
});
