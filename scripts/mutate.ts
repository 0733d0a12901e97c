/**
 * Changes the code in many small ways, and names the changes that no test notices.
 *
 * npm run test:mutations -- integration/core/access [--tests test/unit/access,test/unit/api] [--limit 250] [--seed 7]
 */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node';
import { instrument, type Mutant } from './mutants.ts';
import type { Report } from './mutation-runner.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'string' },
    limit: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
if (positionals.length === 0)
  throw new Error('Name the folders or files to change, such as integration/core/access.');

/** Test files that share a process. */
const GROUP = 8;

const root = process.cwd();
const files = positionals.flatMap((name) => filesIn(name, '.ts'));
const tests = (
  values.tests ?? positionals.map((name) => name.replace(/^integration\/core/, 'test/unit')).join(',')
)
  .split(',')
  .flatMap((name) => filesIn(name, '.test.ts'));
const seed = Number(values.seed);
const folder = mkdtempSync(path.join(tmpdir(), 'mutants-'));
process.env.MUTATION_REPORT = path.join(folder, 'report.json');
const nothing: Report = { files: [], killed: [], early: [], unsure: [], stuck: [] };
writeFileSync(process.env.MUTATION_REPORT, JSON.stringify(nothing));
process.env.FC_SEED ??= values.seed;

const instrumented = new Map<string, string>();
const mutants = changeFiles();

let vitest: Vitest | undefined;
try {
  vitest = await createVitest(
    'test',
    {
      config: false,
      root,
      include: tests,
      exclude: [],
      watch: false,
      // The cache would return the code of other runs.
      fsModuleCache: false,
      isolate: false,
      pool: 'forks',
      maxWorkers: 1,
      maxConcurrency: 1,
      // A mutant can be an endless loop that allocates memory.
      execArgv: ['--max-old-space-size=2048'],
      sequence: { concurrent: false },
      setupFiles: ['test/support/setup.ts'],
      testTimeout: 600_000,
      hookTimeout: 60_000,
      retry: 0,
      runner: path.join(import.meta.dirname, 'mutation-runner.ts'),
      env: { TESTS_TMPDIR: folder },
      reporters: [{}],
      onConsoleLog: () => false,
      dangerouslyIgnoreUnhandledErrors: true,
    },
    { plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => instrumented.get(id.split('?')[0]!) }] },
  );
  await report(vitest, await vitest.globTestSpecifications());
} finally {
  await vitest?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Every file gets its switches; `--limit` keeps a random part of all mutants. */
function changeFiles(): readonly Mutant[] {
  const all = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const count = [...all].reduce((id, [file, code]) => instrument(file, code, id, () => true).nextId, 0);
  const wanted = new Set(shuffled(count).slice(0, Number(values.limit ?? count)));
  const found: Mutant[] = [];
  let id = 0;
  for (const [file, code] of all) {
    const result = instrument(file, code, id, (each) => wanted.has(each));
    id = result.nextId;
    found.push(...result.mutants);
    instrumented.set(path.resolve(file), result.code);
  }
  console.log(`${found.length} of ${count} mutants in ${files.length} files (seed ${seed})`);
  return found;
}

async function report(vitest: Vitest, specifications: readonly TestSpecification[]): Promise<void> {
  const sorted = inOrder(specifications);
  // Each group gets a process of its own, because test files that share one need more and more memory.
  for (let start = 0; start < sorted.length; start += GROUP) {
    await vitest.runTestSpecifications(sorted.slice(start, start + GROUP));
    const done = Math.min(start + GROUP, sorted.length);
    console.log(`${done} of ${sorted.length} test files: ${readReport().killed.length} mutants noticed`);
  }
  process.env.MUTANT = 'none';
  const begin = performance.now();
  const passing = await passingOf(vitest, sorted);
  process.env.MUTANT_MS = String(Math.ceil(30_000 + 5 * (performance.now() - begin)));
  const found = readReport();
  const killed = new Set(found.killed.map(([id]) => id));
  const reached = new Map(found.files);
  const early = new Set(found.early);
  const again = mutants.filter(
    ({ id }) => !killed.has(id) && (found.stuck.length > 0 || early.has(id) || found.unsure.includes(id)),
  );
  console.log(
    `${reached.size} reached, ${early.size} while loading, ${killed.size} noticed; ${again.length} run again in a process of their own`,
  );
  for (const { config } of [vitest, ...vitest.projects]) config.bail = 1;
  for (const [index, mutant] of again.entries()) {
    const { id } = mutant;
    const isLoading = early.has(id);
    const reaching = passing.filter(
      ({ moduleId }) =>
        isLoading || reached.get(id)?.includes(moduleId) === true || found.stuck.includes(moduleId),
    );
    process.env.MUTANT = String(id);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(reaching);
    const isStopped = unhandledErrors.some(
      (error) => (error as { readonly message?: string } | null)?.message?.includes('Worker exited') === true,
    );
    // Vitest returns the modules of former runs too.
    const failed = testModules.filter(
      (module) => !module.ok() && reaching.some(({ moduleId }) => moduleId === module.moduleId),
    );
    if (unhandledErrors.length > 0 || failed.length > 0) killed.add(id);
    const result = isStopped ? 'stopped the tests' : killed.has(id) ? 'noticed' : 'not noticed';
    const [test] = failed.flatMap((module) => [...module.children.allTests('failed')]);
    const by = test === undefined ? '' : ` (${test.module.relativeModuleId}: ${test.fullName})`;
    console.log(`${index + 1} of ${again.length}: ${result}: ${describe(mutant)}${by}`);
  }
  console.log('\nfile | mutants | noticed | no test | score');
  for (const file of [...files, undefined]) {
    const own = mutants.filter((mutant) => file === undefined || mutant.file === file);
    const noticed = own.filter(({ id }) => killed.has(id)).length;
    const missed = own.filter(({ id }) => !reached.has(id)).length;
    const score = own.length === 0 ? '' : `${((100 * noticed) / own.length).toFixed(1)} %`;
    console.log(`${file ?? 'all'} | ${own.length} | ${noticed} | ${missed} | ${score}`);
  }
  console.log('\nNot noticed:');
  for (const mutant of mutants.filter(({ id }) => !killed.has(id))) {
    console.log(`${describe(mutant)}${reached.has(mutant.id) ? '' : ' (no test)'}`);
  }
}

/** The test files that pass without a mutant. The others cannot notice one. */
async function passingOf(
  vitest: Vitest,
  specifications: readonly TestSpecification[],
): Promise<readonly TestSpecification[]> {
  const { testModules } = await vitest.runTestSpecifications([...specifications]);
  const failed = testModules.filter((module) => !module.ok());
  for (const module of failed) {
    console.log(`fails without a mutant: ${module.relativeModuleId}`);
    for (const test of module.children.allTests('failed')) {
      console.log(`  ${test.fullName}: ${test.result().errors?.[0]?.message}`);
    }
  }
  return specifications.filter(({ moduleId }) => !failed.some((module) => module.moduleId === moduleId));
}

function readReport(): Report {
  return JSON.parse(readFileSync(process.env.MUTATION_REPORT!, 'utf8'));
}

function describe({ file, line, before, after }: Mutant): string {
  return `${file}:${line}: ${before} → ${after}`;
}

/** In the order of `--tests`, but property tests last: they take the longest. */
function inOrder(specifications: readonly TestSpecification[]): TestSpecification[] {
  const rank = ({ moduleId }: TestSpecification) =>
    tests.indexOf(path.relative(root, moduleId)) + (moduleId.includes('.property.') ? tests.length : 0);
  return [...specifications].sort((a, b) => rank(a) - rank(b));
}

function filesIn(name: string, extension: string): readonly string[] {
  return statSync(name).isFile() ? [name] : globSync(`${name}/**/*${extension}`).sort();
}

/** The numbers below `count` in an order that the seed decides (xorshift). */
function shuffled(count: number): readonly number[] {
  let state = seed || 1;
  const keys = Array.from({ length: count }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
  return keys.map((_, index) => index).sort((a, b) => keys[a]! - keys[b]!);
}
