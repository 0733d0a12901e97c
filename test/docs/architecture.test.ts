import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { REQUEST, traceRequest } from './trace.ts';

const PAGE = path.resolve(import.meta.dirname, '../../ARCHITECTURE.md');
const BLOCK = /(<!-- trace: (\w+) -->\n```\w*\n)([\s\S]*?)(\n```)/g;

/** UPDATE_DOCS=1 writes the stages into the page instead of comparing them. */
it('ARCHITECTURE.md shows the request at every stage', async () => {
  const stages = await traceRequest();
  const text = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(
      PAGE,
      text.replace(
        BLOCK,
        (_, open: string, name: string, _old: string, close: string) => open + stages.get(name) + close,
      ),
    );
    return;
  }
  const shown = [...text.matchAll(BLOCK)].map(([, , name = '', block = '']) => [
    name,
    withoutRevisions(block),
  ]);
  const traced = [...stages].map(([name, stage]) => [name, withoutRevisions(stage)]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(traced));
  expect(text).toContain(`GET ${REQUEST}`);
});

/** They depend on the dates of commits, which a shallow clone does not have. */
function withoutRevisions(text: string): string {
  return text.replace(/(?<="revision": ")[0-9a-f]{16}/g, '');
}
