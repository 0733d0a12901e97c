import { describe, expect, it } from 'vitest';
import { createFairLimiter, type TaskOptions } from '../../../integration/core/util/fair-limiter.ts';

/** Runs one task at a time; `started` has the names of the tasks in start order. */
function createLimiter(waiting = 100) {
  const turns = createFairLimiter(1, waiting, () => new Error('the queue is full'));
  const started: string[] = [];
  const releases: (() => void)[] = [];
  const outcomes = new Map<string, string>();
  const add = (name: string, options?: TaskOptions) => {
    const work = () => {
      started.push(name);
      return new Promise<void>((resolve) => releases.push(resolve));
    };
    turns(work, options).then(
      () => outcomes.set(name, 'done'),
      (error: Error) => outcomes.set(name, error.message),
    );
  };
  const runAll = async () => {
    await Promise.resolve();
    while (releases.length > 0) {
      releases.shift()?.();
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  return { add, started, outcomes, runAll };
}

const of = (...parties: readonly string[]): TaskOptions => ({ parties });

describe('waiting tasks', () => {
  it('without parties start in the order of their arrival', async () => {
    const { add, started, runAll } = createLimiter();
    for (const name of ['a', 'b', 'c', 'd']) add(name);
    await runAll();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('of a busy party alternate with others', async () => {
    const { add, started, runAll } = createLimiter();
    add('running');
    for (const at of [1, 2, 3, 4]) add(`many ${at}`, of('many'));
    add('few 1', of('few'));
    add('other', of('other'));
    add('few 2', of('few'));
    await runAll();
    expect(started.slice(1)).toEqual(['many 1', 'few 1', 'other', 'many 2', 'few 2', 'many 3', 'many 4']);
  });

  it('wait for an earlier task of any of their parties', async () => {
    const { add, started, runAll } = createLimiter();
    add('running');
    add('a', of('network 1', 'jane'));
    add('b', of('network 2', 'jane'));
    add('c', of('network 2', 'bob'));
    add('d', of('network 3', 'eve'));
    await runAll();
    expect(started.slice(1)).toEqual(['a', 'd', 'b', 'c']);
  });

  it('with a reserved slot get every other turn', async () => {
    const { add, started, runAll } = createLimiter();
    add('running');
    for (const at of [1, 2, 3]) add(`open ${at}`);
    for (const at of [1, 2]) add(`reserved ${at}`, { isReserved: true });
    await runAll();
    expect(started.slice(1)).toEqual(['reserved 1', 'open 1', 'reserved 2', 'open 2', 'open 3']);
  });
});

describe('a full queue', () => {
  it('rejects a task of the party with the most tasks', async () => {
    const { add, outcomes, runAll } = createLimiter(3);
    add('running');
    for (const at of [1, 2, 3, 4]) add(`many ${at}`, of('many'));
    await runAll();
    expect(outcomes.get('many 3')).toBe('done');
    expect(outcomes.get('many 4')).toBe('the queue is full');
  });

  it('gives a slot of that party to another party', async () => {
    const { add, outcomes, started, runAll } = createLimiter(3);
    add('running');
    for (const at of [1, 2, 3]) add(`many ${at}`, of('many'));
    add('few', of('few'));
    await runAll();
    expect(started).toEqual(['running', 'many 1', 'few', 'many 2']);
    expect(outcomes.get('many 3')).toBe('the queue is full');
  });

  it('rejects a new party if each party has one task', async () => {
    const { add, outcomes, runAll } = createLimiter(2);
    add('running');
    for (const name of ['a', 'b', 'c']) add(name, of(name));
    await runAll();
    expect(outcomes.get('c')).toBe('the queue is full');
    expect(outcomes.get('b')).toBe('done');
  });

  it('keeps the reserved queue free', async () => {
    const { add, outcomes, runAll } = createLimiter(1);
    add('running');
    add('open', of('a'));
    add('reserved', { isReserved: true });
    await runAll();
    expect(outcomes.get('reserved')).toBe('done');
  });
});

describe('parallel tasks', () => {
  it('run two at a time, and are rejected when the queue is full', async () => {
    const turns = createFairLimiter(2, 3, () => new Error('too many'));
    const release: (() => void)[] = [];
    let most = 0;
    const work = () =>
      turns(async () => {
        most = Math.max(most, release.length + 1);
        await new Promise<void>((resolve) => release.push(resolve));
        return 'done';
      });
    const works = Array.from({ length: 5 }, work);
    await expect(work()).rejects.toThrow('too many');
    while (release.length > 0) {
      release.shift()?.();
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(await Promise.all(works)).toEqual(Array(5).fill('done'));
    expect(most).toBe(2);
  });

  it('continue after an error', async () => {
    const turns = createFairLimiter(1, 1, () => new Error('too many'));
    await expect(turns(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns(async () => 'yes')).toBe('yes');
  });
});
