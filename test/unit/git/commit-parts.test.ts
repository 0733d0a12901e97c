import { describe, expect, it, vi } from 'vitest';
import { groupJobs } from '../../../integration/git/group-jobs.ts';
import { personOf } from '../../../integration/git/person.ts';
import { withoutSecrets } from '../../../integration/git/push-queue.ts';
import { createRetry } from '../../../integration/git/retry.ts';

describe('changes of a quiet period', () => {
  const groups = (written: string) =>
    groupJobs(
      written.split(' ').map((each, at) => ({
        id: `${at}`,
        account: null,
        author: { name: each.slice(0, 1), mail: '' },
        at,
        files: [...each.slice(1)].map((path) => ({ key: path, path, bytes: null })),
      })),
    )
      .map((jobs) => jobs.map(({ id }) => id).join(''))
      .join(' ');

  it.each([
    ['Ax', '0'],
    ['Ax Ay Ax', '012'],
    ['Ax By Az Bz', '02 13'],
    ['Ax Bx Ax', '0 1 2'],
    ['Ax By Bx Ay', '0 12 3'],
    ['Axy Bz Cy Ax', '03 1 2'],
  ])('%s are the commits %s', (written, expected) => {
    expect(groups(written)).toBe(expected);
  });
});

describe('an author', () => {
  it.each([
    ['jane', { displayName: 'Jane Low', mail: 'jane@example.org' }, 'Jane Low <jane@example.org>'],
    ['jane', {}, 'jane <jane@users.noreply.invalid>'],
    ['Zoë Ågård', {}, 'Zoë Ågård <Zoe-Agard@users.noreply.invalid>'],
    ['王', {}, '王 <account@users.noreply.invalid>'],
    ['j@x', { displayName: '...' }, 'j@x <j-x@users.noreply.invalid>'],
    ['j', { displayName: 'J <evil@example.org>\nfake' }, 'J evil@example.org fake <j@users.noreply.invalid>'],
  ])('%s with %o is %s', (name, account, expected) => {
    const { name: shown, mail } = personOf(name, account);
    expect(`${shown} <${mail}>`).toBe(expected);
  });
});

describe('what is told of a push', () => {
  it('has no password of an address', () => {
    expect(withoutSecrets("unable to access 'https://a:b@h/x' and 'ssh://git@h/y'")).toBe(
      "unable to access 'https://h/x' and 'ssh://h/y'",
    );
  });
});

describe('work that is tried until it succeeds', () => {
  it('is told when it fails, when for another reason and when it succeeds, and pauses ever longer', async () => {
    vi.useFakeTimers();
    try {
      const reasons = ['a', 'a', 'a', 'b', undefined];
      const at: number[] = [];
      const lines: string[] = [];
      const retry = createRetry({
        work: async () => {
          at.push(Date.now() - began);
          const reason = reasons.shift();
          if (reason !== undefined) throw new Error(reason);
        },
        delays: { first: 10, last: 30 },
        log: { info: (line) => lines.push(line), warn: (line) => lines.push(line) },
        reasonOf: (error) => (error as Error).message,
        isTrifle: () => false,
        failing: (reason) => `fails: ${reason}`,
        mended: 'works',
      });
      const began = Date.now();
      retry.run();
      await vi.advanceTimersByTimeAsync(0);
      expect(retry.reason()).toBe('a');
      retry.run();
      await vi.advanceTimersByTimeAsync(200);
      expect(at).toEqual([0, 10, 30, 60, 90]);
      expect(lines).toEqual(['fails: a', 'fails: b', 'works']);
      expect(retry.reason()).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});
