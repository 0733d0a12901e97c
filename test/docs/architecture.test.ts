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
  const shown = new Map([...text.matchAll(BLOCK)].map(([, , name = '', block = '']) => [name, block]));
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(stages));
  expect(text).toContain(`GET ${REQUEST}`);
});
