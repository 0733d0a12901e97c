import { describe, expect, it, vi } from 'vitest';
import { createRetry } from '../../../integration/core/runtime/retry.ts';
import { personOf } from '../../../integration/core/write/person.ts';
import { groupByAuthor } from '../../../integration/features/git/commit-queue.ts';

describe('groupByAuthor', () => {
  const groups = (written: string) =>
    groupByAuthor(
      written.split(' ').map((each, at) => ({
        id: `${at}`,
        account: null,
        author: { name: each.slice(0, 1), mail: '' },
        at,
        files: [...each.slice(1)].map((path) => ({ key: path, path, before: null, after: null })),
      })),
    )
      .map((changes) => changes.map(({ id }) => id).join(''))
      .join(' ');

  it.each([
    ['Ax', '0'],
    ['Ax Ay Ax', '012'],
    ['Ax By Az Bz', '02 13'],
    ['Ax Bx Ax', '0 1 2'],
    ['Ax By Bx Ay', '0 12 3'],
    ['Axy Bz Cy Ax', '03 1 2'],
  ])('groups %s into the commits %s', (written, expected) => {
    expect(groups(written)).toBe(expected);
  });
});

describe('personOf', () => {
  it.each([
    ['jane', { displayName: 'Jane Low', mail: 'jane@example.org' }, 'Jane Low <jane@example.org>'],
    ['jane', {}, 'jane <jane@users.noreply.invalid>'],
    ['Zoë Ågård', {}, 'Zoë Ågård <Zoe-Agard@users.noreply.invalid>'],
    ['王', {}, '王 <account@users.noreply.invalid>'],
    ['j@x', { displayName: '...' }, 'j@x <j-x@users.noreply.invalid>'],
    ['j', { displayName: 'J <evil@example.org>\nfake' }, 'J evil@example.org fake <j@users.noreply.invalid>'],
  ])('returns for %s with %o: %s', (name, account, expected) => {
    const { name: shown, mail } = personOf(name, account);
    expect(`${shown} <${mail}>`).toBe(expected);
  });
});

describe('createRetry', () => {
  it('logs the first failure, each new reason and the recovery, and waits longer each time', async () => {
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
        firstDelay: 10,
        maxDelay: 30,
        log: { info: (line) => lines.push(line), warn: (line) => lines.push(line) },
        describe: (error) => (error as Error).message,
        failing: (reason) => `fails: ${reason}`,
        recovered: 'works',
      });
      const began = Date.now();
      retry.run();
      await vi.advanceTimersByTimeAsync(0);
      expect(retry.failure()?.reason).toBe('a');
      retry.run();
      await vi.advanceTimersByTimeAsync(200);
      expect(at).toEqual([0, 10, 30, 60, 90]);
      expect(lines).toEqual(['fails: a', 'fails: b', 'works']);
      expect(retry.failure()).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('attempts work that was requested during an attempt once more when it is closed', async () => {
    const first = Promise.withResolvers<void>();
    let attempts = 0;
    const retry = createRetry({
      work: async () => {
        attempts += 1;
        await first.promise;
        throw new Error('a');
      },
      firstDelay: 10,
      maxDelay: 30,
      log: { info: () => undefined, warn: () => undefined },
      describe: () => 'a',
      failing: () => 'fails',
      recovered: 'works',
    });
    retry.run();
    retry.run();
    const closed = retry.close(5000);
    first.resolve();
    await closed;
    expect(attempts).toBe(2);
  });
});
