import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const EVERYTHING: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Only these rules look at colors. */
const COLORS: RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] };

/**
 * What axe finds wrong with a page in light and in dark, as rules with the elements at fault. The page's security policy
 * stays on.
 */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`if (window.axe === undefined) { ${AXE} }`);
  return [...(await violations(page, 'light', EVERYTHING)), ...(await violations(page, 'dark', COLORS))];
}

async function violations(
  page: Page,
  colorScheme: 'light' | 'dark',
  options: RunOptions,
): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme });
  const run = JSON.stringify({ resultTypes: ['violations'], ...options });
  const found = await page.evaluate<AxeResults>(`axe.run(document, ${run})`);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}, ${colorScheme}: ${html.slice(0, 160)}`),
  );
}
