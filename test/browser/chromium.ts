import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, describe, test } from 'vitest';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

/** Milliseconds that a slow machine may take for one step in a page. */
const PATIENCE_MS = 60_000;

/**
 * Runs tests that need a browser. Without Chromium they are skipped on a developer's machine, and fail in CI. There, a test
 * that failed runs once more, because a busy machine can delay any step of a page.
 */
export function describeInBrowser(name: string, tests: () => Promise<void>): void {
  const isCi = process.env.CI === 'true';
  if (CHROMIUM === undefined && !isCi) describe.skip(name, () => test('needs Chromium', () => undefined));
  else describe(name, { retry: isCi ? 1 : 0 }, tests);
}

/** The browser of this process. Test files use it one after another. */
export function launchBrowser(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

/** The same for the tests of a file. After the last one, all pages are closed. */
export async function useBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  afterAll(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  return browser;
}

let launched: Promise<Browser> | undefined;

async function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Browser tests need Chromium in /usr/bin.');
  const { TMPDIR: ofFile, TESTS_TMPDIR: ofRun = ofFile } = process.env;
  // The profile outlives the temporary files of a test file.
  if (ofRun !== undefined) process.env.TMPDIR = ofRun;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  if (ofFile !== undefined) process.env.TMPDIR = ofFile;
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}
