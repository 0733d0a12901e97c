import { describe, expect, it } from 'vitest';
import {
  checkPassword,
  createPasswordHasher,
  DEFAULT_COST,
  MAX_PASSWORD_BYTES,
  MIN_PASSWORD_LENGTH,
} from '../../../integration/features/accounts/password.ts';
import { MIN_COST } from './test-auth.ts';

const cheap = createPasswordHasher({ cost: MIN_COST });

describe('a password', () => {
  it('is hashed with its own salt, and its parameters are stored beside it', async () => {
    const [one, other] = await Promise.all([cheap.hash('low tide'), cheap.hash('low tide')]);
    expect(one).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await cheap.verify('low tide', one)).toBe(true);
    expect(await cheap.verify('low Tide', one)).toBe(false);
    expect(await cheap.verify('', one)).toBe(false);
  });

  it('is hashed with the recommended parameters', async () => {
    const hash = await createPasswordHasher().hash('low tide');
    expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(await cheap.verify('low tide', hash)).toBe(true);
  });

  it('matches a hash that another scrypt implementation created', async () => {
    // RFC 7914, section 12, third test vector.
    const digest =
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887';
    const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    const hash = `$scrypt$ln=14,r=8,p=1$${unpadded(Buffer.from('SodiumChloride'))}$${unpadded(Buffer.from(digest, 'hex'))}`;
    expect(await cheap.verify('pleaseletmein', hash)).toBe(true);
    expect(await cheap.verify('pleaseletmeout', hash)).toBe(false);
  });

  it('matches in any Unicode composition', async () => {
    const hash = await cheap.hash('caf\u00e9 au lait');
    expect(await cheap.verify('cafe\u0301 au lait', hash)).toBe(true);
  });

  it('that is longer than allowed matches nothing, without hashing', async () => {
    const hash = await cheap.hash('x'.repeat(MAX_PASSWORD_BYTES));
    expect(await cheap.verify('x'.repeat(MAX_PASSWORD_BYTES), hash)).toBe(true);
    expect(await cheap.verify('x'.repeat(1_000_000), hash)).toBe(false);
    const accents = 'e\u0301'.repeat(MAX_PASSWORD_BYTES / 2);
    expect(await cheap.verify(accents, await cheap.hash(accents.normalize('NFC')))).toBe(true);
  });

  it.each([
    ['7 characters', '1234567', false],
    ['8 characters', '12345678', true],
    ['256 bytes', 'x'.repeat(MAX_PASSWORD_BYTES), true],
    ['257 bytes', 'x'.repeat(MAX_PASSWORD_BYTES + 1), false],
    ['256 bytes in 128 letters', 'é'.repeat(MAX_PASSWORD_BYTES / 2), true],
    ['258 bytes in 129 letters', 'é'.repeat(MAX_PASSWORD_BYTES / 2 + 1), false],
    ['8 characters outside the Basic Multilingual Plane', '🌊'.repeat(MIN_PASSWORD_LENGTH), true],
    ['7 characters outside the Basic Multilingual Plane', '🌊'.repeat(MIN_PASSWORD_LENGTH - 1), false],
    ['the name in another letter case', 'Jane Shore', false],
    ['two lines', 'two\nlines', false],
    ['bytes that are not UTF-8', 'p\uFFFDssw\uFFFDrd', false],
    ['256 bytes, written as 384', 'e\u0301'.repeat(MAX_PASSWORD_BYTES / 2), true],
    ['8 spaces', '        ', true],
  ])('of %s', (_what, password, isValid) => {
    const check = () => checkPassword(password, 'jane shore');
    if (isValid) expect(check).not.toThrow();
    else expect(check).toThrow(/^The password (needs|can have|must)/);
  });

  it('is outdated if its hash has a lower cost than new ones', async () => {
    const hash = await cheap.hash('low tide');
    expect(cheap.isOutdated(hash)).toBe(false);
    expect(createPasswordHasher({ cost: { ...MIN_COST, ln: 5 } }).isOutdated(hash)).toBe(true);
    expect(createPasswordHasher({ cost: { ...MIN_COST, p: 2 } }).isOutdated(hash)).toBe(true);
    expect(createPasswordHasher({ cost: { ...MIN_COST, r: 16 } }).isOutdated(hash)).toBe(true);
    expect(createPasswordHasher({ cost: { ...MIN_COST, ln: 3 } }).isOutdated(hash)).toBe(false);
  });

  it('never matches a decoy, which costs the same work as a real hash', async () => {
    const like = await createPasswordHasher({ cost: { ...MIN_COST, ln: 6 } }).hash('low tide');
    expect(cheap.decoy(like)).toMatch(/^\$scrypt\$ln=6,r=8,p=1\$/);
    expect(cheap.decoy(undefined)).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$/);
    expect(await cheap.verify('low tide', cheap.decoy(like))).toBe(false);
  });

  it.each([
    ['$scrypt$ln=40,r=8,p=1$AAAAAAAAAAA$AAAA'],
    ['$scrypt$ln=17,r=99,p=1$AAAAAAAAAAA$AAAA'],
    ['$scrypt$ln=17,r=0,p=1$AAAAAAAAAAA$AAAA'],
    ['secret'],
  ])('is not compared with a hash that has no usable cost: %s', async (hash) => {
    await expect(cheap.verify('low tide', hash)).rejects.toThrow('unsupported parameters');
  });
});

describe('hashing', () => {
  it('runs two at a time, queues sixteen and rejects the rest with a retry time', async () => {
    const hasher = createPasswordHasher({ cost: { ...DEFAULT_COST, ln: 12 }, atOnce: 2, waiting: 16 });
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => hasher.hash('low tide')));
    const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(18);
    expect(refused).toMatchObject([
      { reason: 'unavailable', details: { retryAfterSeconds: 5 } },
      { reason: 'unavailable', details: { retryAfterSeconds: 5 } },
    ]);
    // The queue is free again.
    expect(await hasher.hash('low tide')).toContain('$scrypt$');
  });

  it('continues after a failure', async () => {
    const hasher = createPasswordHasher({ cost: { ...MIN_COST, ln: 0 }, atOnce: 1, waiting: 0 });
    await expect(hasher.hash('low tide')).rejects.toThrow();
    const hash = await cheap.hash('low tide');
    expect(await hasher.verify('low tide', hash)).toBe(true);
  });
});
