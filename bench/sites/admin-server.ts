import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { NewAccount } from '../../integration/features/accounts/accounts.ts';
import { openAuth } from '../../integration/features/accounts/open-auth.ts';
import { collect, freePort } from '../../test/astro/site.ts';
import { REPOSITORY } from './site.ts';

export interface AdminServer {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  readonly origin: string;
  /** Opens the start page of the admin as the first account. */
  signIn(page: Page): Promise<void>;
  stop(): void;
}

const PASSWORD = 'a password for one run';

/** Serves a project by the built command line, in a process of its own, with these accounts only. */
export async function startAdminServer(
  dir: string,
  accounts: readonly [NewAccount, ...NewAccount[]],
): Promise<AdminServer> {
  const file = path.join(dir, '.accounts.json');
  rmSync(file, { force: true });
  const warn = (message: string): never => {
    throw new Error(message);
  };
  const auth = openAuth({ file, warn });
  for (const account of accounts) await auth.accounts.add({ password: PASSWORD, ...account });
  const port = await freePort();
  const command = [path.join(REPOSITORY, 'dist/cli/main.js'), 'serve', '--config', 'astro.config.mjs'];
  const child = spawn(process.execPath, [...command, '--write', '--accounts', file, '--port', String(port)], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.on('exit', () => child.kill());
  const output = collect(child.stdout, child.stderr);
  while (!output().includes('Press Ctrl-C')) {
    if (child.exitCode !== null) throw new Error(output());
    await sleep(100);
  }
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    async signIn(page) {
      await page.goto(`${origin}/admin`);
      await page.fill('input[name=name]', accounts[0].name);
      await page.fill('input[type=password]', PASSWORD);
      await page.press('input[type=password]', 'Enter');
      await page.waitForSelector('main h1');
    },
    stop: () => child.kill(),
  };
}
