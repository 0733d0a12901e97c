import { describe, expect, it } from 'vitest';
import { readCredentials } from '../../../integration/features/accounts/credentials.ts';
import { basic } from './test-auth.ts';

const base64 = (...bytes: readonly number[]) => Buffer.from(bytes).toString('base64');

describe('an Authorization header', () => {
  it.each([
    [null, { kind: 'none' }],
    ['', { kind: 'none' }],
    [basic('jane', 'a:b'), { kind: 'basic', name: 'jane', password: 'a:b' }],
    [`bAsIc   ${basic('jane', 'x').slice(6)}`, { kind: 'basic', name: 'jane', password: 'x' }],
    [basic('jané', 'пароль 密码'), { kind: 'basic', name: 'jané', password: 'пароль 密码' }],
    [basic('', ''), { kind: 'basic', name: '', password: '' }],
    ['Basic amFuZTp4', { kind: 'basic', name: 'jane', password: 'x' }],
    ['Bearer ajp_a-b.c~d+e/f==', { kind: 'bearer', token: 'ajp_a-b.c~d+e/f==' }],
    ['bearer x', { kind: 'bearer', token: 'x' }],
  ])('%j', (header, credentials) => {
    expect(readCredentials(header)).toEqual(credentials);
  });

  it.each([
    ['Basic'],
    ['Basic '],
    ['Basic *'],
    ['Basic amFuZTp4, Bearer x'],
    [`Basic ${base64(0x6a, 0x6e)}`],
    [`Basic ${base64(0x6a, 0x3a, 0xff)}`],
    [`Basic ${base64(0x6a, 0x00, 0x3a, 0x78)}`],
    ['Basic amFuZTp4Y'],
    ['Basic amFuZTp4===='],
    ['Bearer'],
    ['Bearer a b'],
    ['Bearer "x"'],
    ['Digest username="jane"'],
    ['Negotiate abc'],
    ['ajp_token'],
    [':'],
    ['Basic\tamFuZTp4'],
  ])('is rejected as malformed: %j', (header) => {
    expect(readCredentials(header).kind).toBe('malformed');
  });
});
