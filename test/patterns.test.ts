import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { check, type Parameters } from 'recheck';
import ts from 'typescript';
import { expect, it, vi } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../integration');
const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** Counts of steps instead of clocks: the result is the same on a busy machine. */
const SETTINGS: Parameters = {
  // For patterns of larger automata, the suite only searches for an attack. The endurance trials prove them safe.
  ...(process.env.PATTERNS !== 'prove' && { maxNFASize: 1000 }),
  attackTimeout: null,
  incubationTimeout: null,
  attackLimit: 1e8,
  maxIteration: 3,
  maxGenerationSize: 40,
  maxInitialGenerationSize: 150,
  timeout: null,
};

/** Source and flags of every pattern, with the places that use it. */
type Patterns = Map<string, { readonly pattern: RegExp; readonly places: string[] }>;

it('no text can make a regular expression take more than linear time', async () => {
  const patterns: Patterns = new Map();
  for (const file of FILES) addLiterals(file, patterns);
  await addComposed(patterns);
  expect(patterns.size).toBeGreaterThan(250);

  const vulnerable: string[] = [];
  for (const { pattern, places } of patterns.values()) {
    // The checker does not know the flag `d`, which changes nothing about the search.
    const result = await check(pattern.source, pattern.flags.replace('d', ''), SETTINGS);
    if (result.status === 'safe') continue;
    const reason =
      result.status === 'unknown'
        ? `not checked: ${result.error.kind}`
        : `${result.complexity.summary}: ${result.attack.pattern}`;
    vulnerable.push(`${places.join(', ')} ${pattern} ${reason}`);
  }
  expect(vulnerable).toEqual([]);
});

function addLiterals(file: string, patterns: Patterns): void {
  const source = ts.createSourceFile(file, sourceOf(file), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      add(patterns, new RegExp(node.text.slice(1, end), node.text.slice(end + 1)), `${file}:${line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Patterns that a module builds from strings when it is loaded. */
async function addComposed(patterns: Patterns): Promise<void> {
  const construct = (target: RegExpConstructor, [source, flags]: [string, string?]) => {
    const pattern = new target(source, flags);
    const place = /integration\/([\w./-]+\.ts:\d+)/.exec(new Error().stack ?? '')?.[1];
    if (place !== undefined) add(patterns, pattern, place);
    return pattern;
  };
  vi.stubGlobal('RegExp', new Proxy(RegExp, { construct }));
  try {
    for (const file of FILES.filter((each) => sourceOf(each).includes('new RegExp('))) {
      await import(path.join(ROOT, file));
    }
  } finally {
    vi.unstubAllGlobals();
  }
}

function add(patterns: Patterns, pattern: RegExp, place: string): void {
  const known = patterns.get(String(pattern)) ?? { pattern, places: [] };
  known.places.push(place);
  patterns.set(String(pattern), known);
}

function sourceOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
