import { describe, expect, test } from 'vitest';
import { accountChanges, expiryAfter, searchAccounts } from '../../../admin/src/model/accounts.ts';

const JANE = { displayName: 'Jane Low', mail: 'jane@example.com', roles: ['editor', 'author'] };

test.each([
  ['nothing', JANE, undefined],
  [
    'nothing but spaces and the order of roles',
    { ...JANE, displayName: ' Jane Low ', roles: ['author', 'editor'] },
    undefined,
  ],
  ['the display name', { ...JANE, displayName: 'Jane' }, { displayName: 'Jane' }],
  ['an emptied text, which is removed', { ...JANE, mail: ' ' }, { mail: null }],
  ['a role that was taken away', { ...JANE, roles: ['author'] }, { roles: ['author'] }],
  [
    'a role in place of another',
    { ...JANE, roles: ['author', 'reviewer'] },
    { roles: ['author', 'reviewer'] },
  ],
])('a form sends %s', (_, form, changes) => {
  expect(accountChanges(JANE, form)).toEqual(changes);
});

describe('the search for accounts', () => {
  const facts = { isBlocked: false, hasPassword: true, tokenCount: 0 };
  const accounts = [
    { name: 'jane', ...JANE, ...facts },
    { name: 'omar', displayName: '', mail: '', roles: ['author'], ...facts },
  ];
  test.each([
    ['', ['jane', 'omar']],
    ['AUTHOR', ['jane', 'omar']],
    ['low author', ['jane']],
    ['example.com', ['jane']],
    ['low omar', []],
  ])('finds every word of "%s"', (search, names) => {
    expect(searchAccounts(accounts, search).map(({ name }) => name)).toEqual(names);
  });
});

test('a token ends after its days, or never', () => {
  expect(expiryAfter(30, Date.parse('2026-01-01T12:00:00Z'))).toBe('2026-01-31T12:00:00.000Z');
  expect(expiryAfter(null)).toBeNull();
});
