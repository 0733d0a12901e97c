import { existsSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RuntimeLog } from '../../core/runtime/site.ts';
import { isLockingPossible, lockPathOf, tryLockExclusive } from '../../core/storage/drivers/fs-lock.ts';
import type { LiveAnswer } from './live-site.ts';
import { type CommandResult, type RunningCommand, runCommand } from './run-command.ts';
import type { DatedCommit } from './saved-content.ts';

/**
 * `waiting`: for commits, or for a build of another server in the same folder. `running`: the command runs, or the host has
 * been asked. `built`: the command has ended, and the site does not show it yet. `late`: the site did not change for
 * BUILD_MINUTES after a request to the host.
 */
export type BuildState = 'waiting' | 'running' | 'built' | 'live' | 'failed' | 'late';

/** Times in milliseconds since the Unix epoch. */
export interface Build {
  readonly state: BuildState;
  readonly by: 'hook' | 'command';
  readonly started: number;
  readonly ended: number | null;
  /** The newest commit of the content when it began. */
  readonly commit: string | null;
  /** A sentence about a failure. */
  readonly problem: string | null;
  /** The last lines of the output of a command that failed. */
  readonly lines: readonly string[];
  /** True if another build follows. */
  readonly isAskedAgain: boolean;
}

export interface Builds {
  /** The last build; undefined before the first. */
  last(): Build | undefined;
  /** Begins a build, or one after the present build. */
  start(): Build;
  close(): Promise<void>;
}

export interface BuildsDeps {
  readonly how: { readonly hook: string } | { readonly command: string; readonly folder: string };
  /** The build that visitors see. */
  live(): Promise<LiveAnswer>;
  newest(): Promise<DatedCommit | undefined>;
  contains(later: string, earlier: string): Promise<boolean | undefined>;
  /** True if changes wait for their commit or push. */
  isBusy(): boolean;
  readonly log: Pick<RuntimeLog, 'info' | 'warn'>;
  readonly now: () => number;
  readonly times?: Partial<BuildTimes>;
}

/** In milliseconds. */
export interface BuildTimes {
  /** From one look at the site to the next. */
  readonly lookMs: number;
  /** For which a build waits for commits. */
  readonly commitMs: number;
  /** Of a command, and until the site of a host has to have changed. */
  readonly limitMs: number;
}

export const BUILD_MINUTES = 30;
const TIMES: BuildTimes = { lookMs: 5000, commitMs: 60_000, limitMs: BUILD_MINUTES * 60_000 };
const HOOK_TIMEOUT_MS = 15_000;

/** Runs one build at a time. A build that is asked for while one runs begins after it, once. */
export function createBuilds(deps: BuildsDeps): Builds {
  const { how, log, now } = deps;
  const { lookMs, commitMs, limitMs } = { ...TIMES, ...deps.times };
  const closing = new AbortController();
  let build: Build | undefined;
  let running: Promise<void> | undefined;
  let command: RunningCommand | undefined;

  function change(part: Partial<Build>): void {
    if (build !== undefined) build = { ...build, ...part };
  }

  // It rejects only if the builds are closed, which ends every loop.
  const pause = (ms: number) =>
    sleep(ms, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);

  /** Looks at the site until it shows another build than before, which has the commit. */
  async function untilLive(before: LiveAnswer, commit: string | null, limit: number): Promise<boolean> {
    const end = now() + limit;
    while (!closing.signal.aborted) {
      const live = await deps.live();
      if (typeof live === 'object' && !isSame(live, before)) {
        // The server may not have the commit that the host has built.
        const hasIt = commit === null || (await deps.contains(live.commit, commit)) !== false;
        if (hasIt) return true;
      }
      const isOver = build?.ended !== null && build?.isAskedAgain;
      if (isOver || now() >= end) return false;
      await pause(lookMs);
    }
    return false;
  }

  async function run(): Promise<void> {
    let unlock = tryToLock(how);
    for (; unlock === undefined && !closing.signal.aborted; unlock = tryToLock(how)) await pause(lookMs);
    const done = await perform().finally(unlock);
    if (done === undefined) return;
    const { before, commit } = done;
    if ('hook' in how) {
      const isLive = await untilLive(before, commit, limitMs);
      return change({ state: isLive ? 'live' : 'late', ended: now() });
    }
    change({ state: 'built', ended: now() });
    log.info('The site is built.');
    if (await untilLive(before, commit, Math.min(limitMs, 12 * lookMs))) change({ state: 'live' });
  }

  /** Asks the host, or runs the command. Resolves to the state before; undefined after a failure. */
  async function perform(): Promise<{ before: LiveAnswer; commit: string | null } | undefined> {
    for (const end = now() + commitMs; deps.isBusy() && now() < end && !closing.signal.aborted; )
      await pause(200);
    const commit = (await deps.newest())?.commit ?? null;
    const before = await deps.live();
    if (closing.signal.aborted) return undefined;
    change({ state: 'running', commit });
    let result: CommandResult;
    if ('hook' in how) result = { problem: await callHook(how.hook, closing.signal), lines: [] };
    else {
      command = runCommand(how.command, how.folder, limitMs);
      result = await command.result;
      command = undefined;
    }
    if (result.problem === undefined) return { before, commit };
    fail(result);
    return undefined;
  }

  function fail({ problem = '', lines }: CommandResult): void {
    if (closing.signal.aborted) return;
    change({ state: 'failed', ended: now(), problem, lines });
    log.warn(`The site cannot be built. ${problem}`);
  }

  function begin(): void {
    build = {
      ...{ state: 'waiting', by: 'hook' in how ? 'hook' : 'command', started: now(), ended: null },
      ...{ commit: null, problem: null, lines: [], isAskedAgain: false },
    };
    running = run()
      .catch((error: unknown) => fail({ problem: error instanceof Error ? error.message : '', lines: [] }))
      .finally(() => {
        running = undefined;
        if (build?.isAskedAgain && !closing.signal.aborted) begin();
      });
  }

  return {
    last: () => build,
    start() {
      if (running === undefined) begin();
      else change({ isAskedAgain: true });
      if (build === undefined) throw new Error('No build has begun.');
      return build;
    },
    async close() {
      closing.abort();
      command?.stop();
      await running;
    },
  };
}

/**
 * Takes the lock of the folder in which the command runs, and returns the function that releases it: undefined while another
 * process has it. Hosts have their own queue. Some file systems have no locks.
 */
function tryToLock(how: BuildsDeps['how']): (() => void) | undefined {
  const path =
    'folder' in how && existsSync(how.folder) && `${lockPathOf(realpathSync.native(how.folder))}.deploy`;
  return path && isLockingPossible(path) ? tryLockExclusive(path) : () => undefined;
}

function isSame(live: LiveAnswer, before: LiveAnswer): boolean {
  if (typeof live !== 'object' || typeof before !== 'object') return live === before;
  return live.time === before.time && live.commit === before.commit;
}

/** A sentence if the host did not accept the request. Messages of fetch can contain the address, which is a secret. */
async function callHook(url: string, closing: AbortSignal): Promise<string | undefined> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(HOOK_TIMEOUT_MS)]);
  const response = await fetch(url, { method: 'POST', redirect: 'manual', signal }).catch(() => undefined);
  await response?.body?.cancel();
  if (response === undefined) return 'The deploy hook does not respond.';
  return response.ok ? undefined : `The deploy hook responded with ${response.status}.`;
}
