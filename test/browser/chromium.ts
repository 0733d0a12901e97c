import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

/** Milliseconds that a slow machine may take for one step in a page. */
const PATIENCE_MS = 60_000;

/** Runs tests that need a browser. Without Chromium they are skipped on a developer's machine, and fail in CI. */
export const describeInBrowser: typeof describe.skip =
  CHROMIUM === undefined && process.env.CI !== 'true' ? describe.skip : describe;

export async function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Browser tests need Chromium in /usr/bin.');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}
