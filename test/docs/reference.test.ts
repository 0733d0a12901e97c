import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REFERENCE_PAGES, withReference } from '../../scripts/docs-reference.ts';

it.each(REFERENCE_PAGES)('%s matches the code (otherwise run `npm run docs:reference`)', (page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  expect(text).toBe(withReference(text));
  expect(text).toMatch(/<!-- generated: [\w-]+ -->\n\n\|/);
});
