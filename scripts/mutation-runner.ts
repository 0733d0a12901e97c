import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest';

/** A mutant that asks this often in one test is in an endless loop. */
const MAX_QUESTIONS = 300_000;
const TIMEOUT_MS = 2_000;
/** A test without a mutant that takes longer waits for what a mutant before it left behind. */
const STUCK_MS = 60_000;
/** Slower tests (microseconds of processor time) decide only about mutants that survive the others. */
const SLOW_US = 200_000;
const NONE = -1;

/** What the tests of this process have found out. It outlives each test file, because files are not isolated. */
interface Found {
  active: number;
  /** How often the active mutant was asked for in this test. */
  questions: number;
  /** Collects the mutants that run. */
  reached: Set<number>;
  file: string;
  /** Test files by mutant. */
  readonly files: Map<number, Set<string>>;
  /** Mutants that run while modules load or hooks prepare tests: a test cannot switch them on. */
  readonly early: Set<number>;
  /** Mutants whose test left something behind, or did not run them again, so that it decides nothing. */
  readonly unsure: Set<number>;
  /** Test files of a process in which a test got stuck, from that test on: they decide nothing. */
  readonly stuck: Set<string>;
  isStuck: boolean;
  /** The test that noticed, by mutant. */
  readonly killed: Map<number, string>;
}

/** `Found` as JSON. */
export interface Report {
  readonly files: readonly (readonly [number, readonly string[]])[];
  readonly killed: readonly (readonly [number, string])[];
  readonly early: readonly number[];
  readonly unsure: readonly number[];
  readonly stuck: readonly string[];
}

declare global {
  var __found: Found | undefined;
  var __mutant: (id: number) => boolean;
}

globalThis.__found ??= startWith(JSON.parse(readFileSync(process.env.MUTATION_REPORT!, 'utf8')));
const found = globalThis.__found;

/** Vitest may start a process for each test file. Each continues with the report of the last one. */
function startWith({ files, killed, early, unsure, stuck }: Report): Found {
  const { MUTANT = 'none', MUTANT_MS } = process.env;
  if (MUTANT_MS !== undefined) stopAfter(Number(MUTANT_MS));
  return {
    active: MUTANT === 'none' ? NONE : Number(MUTANT),
    questions: 0,
    reached: new Set(),
    file: '',
    files: new Map(files.map(([id, paths]) => [id, new Set(paths)])),
    early: new Set(early),
    unsure: new Set(unsure),
    stuck: new Set(stuck),
    isStuck: false,
    killed: new Map(killed),
  };
}

/** Ends this process, even in an endless loop. */
function stopAfter(milliseconds: number): void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`;
  new Worker(code, { eval: true }).unref();
}

globalThis.__mutant = (id) => {
  found.reached.add(id);
  if (id !== found.active) return false;
  found.questions += 1;
  if (found.questions > MAX_QUESTIONS) throw new Error('The mutant is in an endless loop.');
  return true;
};

/**
 * Runs each test once as it is, and then once for each mutant that it reaches and no test has noticed yet. A failure
 * counts only if the test passes again without the mutant.
 */
export default class MutationRunner extends TestRunner {
  /** Milliseconds, by the time that the test takes without a mutant. */
  #timeout = TIMEOUT_MS;

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    found.file = file.filepath;
    found.questions = 0;
    if (found.isStuck) found.stuck.add(file.filepath);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    if (process.env.MUTANT !== undefined) {
      found.questions = 0;
      return run();
    }
    this.#noteEarly();
    const start = process.cpuUsage();
    const begin = performance.now();
    this.#timeout = found.isStuck ? TIMEOUT_MS : STUCK_MS;
    if (await this.#takesTooLong(run)) {
      found.isStuck = true;
      found.stuck.add(found.file);
    }
    if (found.isStuck) return;
    this.#timeout = TIMEOUT_MS + 10 * (performance.now() - begin);
    const { user } = process.cpuUsage(start);
    const reached = this.#take();
    if (user > SLOW_US) {
      for (const id of reached) found.unsure.add(id);
      return;
    }
    for (const id of reached) {
      if (found.killed.has(id)) continue;
      const noticed = await this.#notices(run, id);
      if (!noticed) {
        // Cached results hide a mutant that does not run again.
        if (found.questions === 0) found.unsure.add(id);
        continue;
      }
      const isClean = !(await this.#notices(run, NONE));
      if (isClean) found.killed.set(id, `${found.file} ${test.name}`);
      else {
        for (const other of reached) found.unsure.add(other);
        break;
      }
    }
    found.reached.clear();
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (process.env.MUTANT !== undefined) return;
    this.#noteEarly();
    const { killed, early, unsure, stuck } = found;
    const report: Report = {
      files: [...found.files].map(([id, paths]) => [id, [...paths]]),
      killed: [...killed],
      early: [...early],
      unsure: [...unsure],
      stuck: [...stuck],
    };
    writeFileSync(process.env.MUTATION_REPORT!, JSON.stringify(report));
  }

  #noteEarly(): void {
    for (const id of this.#take()) found.early.add(id);
  }

  /** Returns the mutants that ran since the last call, and notes the test file. */
  #take(): readonly number[] {
    const reached = [...found.reached];
    found.reached.clear();
    for (const id of reached) {
      const files = found.files.get(id) ?? new Set();
      found.files.set(id, files.add(found.file));
    }
    return reached;
  }

  async #notices(run: () => unknown, id: number): Promise<boolean> {
    found.active = id;
    found.questions = 0;
    try {
      return await this.#takesTooLong(run);
    } catch {
      return true;
    } finally {
      found.active = NONE;
    }
  }

  async #takesTooLong(run: () => unknown): Promise<boolean> {
    const timer = new AbortController();
    const { signal } = timer;
    const timeout = setTimeout(this.#timeout, true, { signal, ref: false }).catch(() => true);
    try {
      return await Promise.race([Promise.resolve(run()).then(() => false), timeout]);
    } finally {
      timer.abort();
    }
  }
}
