import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

/** Runs tests that need a browser. Without Chromium they are skipped on a developer's machine, and fail in CI. */
export const describeInBrowser: typeof describe.skip =
  CHROMIUM === undefined && process.env.CI !== 'true' ? describe.skip : describe;

export function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('Browser tests need Chromium in /usr/bin.');
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
