import { expect, it } from 'vitest';
import { describeExpiry, readExpiry } from '../../../integration/features/accounts/commands/account-token.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

it.each([
  ['90d', '2027-02-19T12:00:00.000Z'],
  ['1h', '2026-11-21T13:00:00.000Z'],
  ['2w', '2026-12-05T12:00:00.000Z'],
  ['2026-11-21', '2026-11-22T00:00:00.000Z'],
  ['2028-02-29', '2028-03-01T00:00:00.000Z'],
  ['3653d', '2036-11-21T12:00:00.000Z'],
])('a token for %s ends at %s', (written, end) => {
  expect(readExpiry(written, NOW)?.toISOString()).toBe(end);
});

it('a token for never does not end', () => {
  expect(readExpiry('never', NOW)).toBeNull();
  expect(describeExpiry(null)).toBe('without expiry');
  expect(describeExpiry('2027-02-19T12:00:00.000Z')).toBe('valid until 2027-02-19 12:00 UTC');
});

it.each([
  ['0d'],
  ['-1d'],
  ['3654d'],
  ['90'],
  ['90m'],
  ['2026-11-20'],
  ['2027-02-29'],
  ['2027-13-01'],
  ['soon'],
  ['999999999d'],
])('rejects %s as the expiry of a token', (written) => {
  expect(() => readExpiry(written, NOW)).toThrow(`--expires cannot be \`${written}\`.`);
});
