import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  secretsOf,
  withoutCredentials,
  withoutSecrets,
} from '../../../integration/core/runtime/remote-address.ts';
import { gitMessage, runGit } from '../../../integration/core/runtime/run-git.ts';
import { openGitRemote } from '../../../integration/features/forge/git-remote.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

afterEach(() => vi.unstubAllEnvs());

/** Printable ASCII, among it all characters with a meaning in addresses. */
const PASSWORD = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 3, maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('@', '/', ':', '?', '#', '%', 'a', 'B', '7', '.'),
    minLength: 3,
    maxLength: 20,
  }),
);

/** Addresses with a password, in all forms that can have one. */
const FORMS: readonly ((password: string) => string)[] = [
  (password) => `https://jane:${password}@git.example/team/site.git`,
  (password) => `http://jane:${password}@git.example:8080/site.git`,
  (password) => `https://:${password}@git.example/site.git`,
  (password) => `ssh://jane:${password}@git.example:22/site.git`,
  (password) => `jane:${password}@git.example:team/site.git`,
  (password) => `helper::https://jane:${password}@git.example/site.git`,
  (password) => `helper://jane:${password}@git.example/site.git`,
];

/** Parts of an address that git can take for the host, the path or the address without credentials. */
function piecesOf(address: string): readonly string[] {
  const pieces = [
    address,
    encodeURI(address),
    ...address.split('@'),
    ...address.split('/'),
    ...address.split(':'),
  ];
  return [...pieces, ...address.split('://'), address.slice(address.indexOf('@')), address.toLowerCase()];
}

const MESSAGES: readonly ((piece: string) => string)[] = [
  (piece) => `fatal: unable to access '${piece}/': Could not resolve host: ${piece}`,
  (piece) => `fatal: could not read Password for '${piece}': terminal prompts disabled`,
  (piece) => `ssh: Could not resolve hostname ${piece}: Name or service not known`,
  (piece) => `fatal: repository '${piece}' not found`,
  (piece) => `Command failed: git push --porcelain -- ${piece} 1234:refs/heads/main`,
  (piece) => `To ${piece}\n!\tmain:main\t[rejected] (fetch first)`,
];

/** All parts of a password with 3 characters, as written and decoded. */
function partsOf(password: string): readonly string[] {
  return Array.from({ length: password.length - 2 }, (_, at) => password.slice(at, at + 3).toLowerCase());
}

function shownParts(message: string, password: string): readonly string[] {
  return partsOf(password).filter((part) => message.toLowerCase().includes(part));
}

describe('a message about a remote', () => {
  it('shows no part of a password, wherever git has put it', () => {
    fc.assert(
      fc.property(PASSWORD, fc.constantFrom(...FORMS), (password, form) => {
        const address = form(password);
        const secrets = secretsOf([address]);
        for (const piece of piecesOf(address)) {
          for (const message of MESSAGES) {
            expect(shownParts(withoutSecrets(message(piece), secrets), password)).toEqual([]);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the rest', () => {
    const secrets = secretsOf(['https://jane:pa@ss/word@git.example/site.git']);
    expect(
      withoutSecrets("fatal: unable to access 'https://ss/word@git.example/site.git/': timed out", secrets),
    ).toBe("fatal: unable to access 'https://git.example/site.git/': timed out");
    expect(withoutSecrets('Could not resolve host: ss/word@git.example', secrets)).toBe(
      'Could not resolve host: …@git.example',
    );
    const none = secretsOf(['git@git.example:site.git', '/srv/a@b/site.git', 'https://git.example/site.git']);
    const message = "fatal: unable to access 'https://git.example/site.git': The git server says no";
    expect(withoutSecrets(message, none)).toBe(message);
    expect(withoutSecrets("unable to access 'https://a:b@h/x' and 'ssh://git@h/y'", none)).toBe(
      "unable to access 'https://h/x' and 'ssh://h/y'",
    );
  });

  it('shows no token in place of a user', () => {
    const secrets = secretsOf(['https://ghp_token123:x-oauth-basic@git.example/site.git']);
    expect(withoutSecrets("could not read Password for 'https://ghp_token123@git.example'", secrets)).toBe(
      "could not read Password for 'https://git.example'",
    );
    expect(withoutSecrets('The user GHP_token123 is blocked', secrets)).toBe('The user … is blocked');
  });
});

describe('the address of a remote', () => {
  it.each([
    ['https://user:pa@ss/w@host/site.git', 'https://host/site.git'],
    ['https://token@host/site.git', 'https://host/site.git'],
    ['HTTPS://user:p:q@host/site.git', 'HTTPS://host/site.git'],
    ['ssh://git@host:22/site.git', 'ssh://host:22/site.git'],
    ['https://host/site.git', 'https://host/site.git'],
    ['helper::https://user:secret@host/site.git', 'helper::https://host/site.git'],
    ['helper://user:secret@host/site.git', 'helper@host/site.git'],
    ['user:a://b@host:team/site.git', 'user@host:team/site.git'],
    ['git@host:team/site.git', 'git@host:team/site.git'],
    ['user:secret@host:team/site.git', 'user@host:team/site.git'],
    ['host:team/site@2.git', 'host:team/site@2.git'],
    ['/srv/a@b/site.git', '/srv/a@b/site.git'],
    ['../a@b:c/site.git', '../a@b:c/site.git'],
    ['file:///srv/a@b/site.git', 'file:///srv/a@b/site.git'],
  ])('%s is shown as %s', (address, shown) => {
    expect(withoutCredentials(address)).toBe(shown);
  });

  it('is shown without any part of a password', () => {
    fc.assert(
      fc.property(PASSWORD, fc.constantFrom(...FORMS), (password, form) => {
        const fixed = form('').toLowerCase();
        const shown = shownParts(withoutCredentials(form(password)), password);
        expect(shown.filter((part) => !fixed.includes(part))).toEqual([]);
      }),
    );
  });
});

describe('a failure of git', () => {
  const PASSWORDS = ['pa@ss/word', 'p/w@x/yz', 'secret:with@colon', 'a/b/c/d', 'se%2Fcr%40et', "it's'quoted"];

  it.each(PASSWORDS)('names no part of the password %s of an address', async (password) => {
    const { message } = await failureWith(password, (address) =>
      openGitRemote(address)
        .access()
        .catch((error) => error.cause),
    );
    expect(message).toContain('git says: fatal');
    expect(shownParts(message, password)).toEqual([]);
  });

  it.each(PASSWORDS)('names no part of the password %s of a configured remote', async (password) => {
    const folder = temporaryFolder();
    await runGit(folder, ['init', '-q']);
    const error = await failureWith(password, async (address) => {
      await runGit(folder, ['remote', 'add', 'origin', address]);
      return runGit(folder, ['fetch', 'origin'], { trusted: true }).catch((failure) => failure);
    });
    expect(gitMessage(error)).toContain('fatal');
    const [stack] = (error.stack ?? '').split('\n    at ');
    const logged = [gitMessage(error), error.message, stack, JSON.stringify(error)].join('\n');
    expect(shownParts(logged, password)).toEqual([]);
  });

  /** No request leaves this machine: the proxy refuses all. */
  async function failureWith(password: string, run: (address: string) => Promise<Error>): Promise<Error> {
    for (const name of ['http_proxy', 'https_proxy', 'ALL_PROXY']) vi.stubEnv(name, 'http://127.0.0.1:9');
    return run(`https://jane:${password}@git.invalid/site.git`);
  }
});
