import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Corpus, copyCorpus, generateCorpus } from './corpus.ts';
import { BENCH_FOLDER } from './site.ts';

/** The corpora of a benchmark: `[--sizes 5000,20000] [--folder content-of-another-site]`. */
export function* corpora(args: readonly string[]): Generator<Corpus> {
  for (const size of (optionOf(args, '--sizes') ?? '5000,20000').split(',').filter(Boolean).map(Number)) {
    if (!Number.isInteger(size) || size < 200 || size > 1_000_000) {
      throw new Error('--sizes takes whole numbers from 200 to 1000000, such as 5000,20000.');
    }
    yield generateCorpus(emptyFolder(`content-${size}`), size);
  }
  const folder = optionOf(args, '--folder');
  if (folder !== undefined) yield copyCorpus(path.resolve(folder), emptyFolder('content-copied'));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** `met` or not, the target and the measured value. */
export function printRequirement(met: boolean, text: string, measured: string): void {
  console.log(`  ${met ? 'met    ' : 'NOT MET'}  ${text}: ${measured}`);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}

export function emptyFolder(name: string): string {
  const dir = path.join(BENCH_FOLDER, name);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  return dir;
}

export function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}
