import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { runGit } from '../support/git-site.ts';
import { build, copySite, type Served, type Site, serve, serveDev } from './site.ts';

let site: Site;
let token: string;

const git = (...args: readonly string[]) => runGit(site.dir, args);
const retitle = (
  server: Served,
  title: string,
  by: Readonly<Record<string, string>> = { authorization: `Bearer ${token}` },
) =>
  fetch(`${server.origin}/api/content/articles/moon`, {
    method: 'PATCH',
    headers: { ...by, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });

beforeAll(async () => {
  site = copySite('plain', 'git');
  writeFileSync(
    site.file('astro.config.mjs'),
    `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  integrations: [jsonapi({ healthPath: '/healthz', editing: { git: { commit: { quiet: Number(process.env.QUIET) } } } })],
});
`,
  );
  writeFileSync(site.file('content/article/moon.md'), '---\ntitle: The moon\nrating: 1\n---\n');
  writeFileSync(site.file('.gitignore'), 'dist*\n.astro*\nnode_modules\n');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'The site');
  git('config', 'user.email', 'site@example.org');
  git('add', '-A');
  git('commit', '-q', '-m', 'Begin');
  const tokens = await addAccounts(site.file('.astro-jsonapi/accounts.json'), {
    jane: { roles: ['editor'], mail: 'jane@example.org' },
  });
  token = tokens.jane;
  await build(site, { QUIET: '3' });
});
afterAll(() => site?.remove());

describe('a built server with option git', () => {
  it('that was stopped during a quiet period commits after its next start', async () => {
    const before = git('rev-parse', 'HEAD');
    const first = await serve(site);
    expect((await retitle(first, 'New moon')).status).toBe(201);
    await first.stop();
    expect(git('rev-parse', 'HEAD')).toBe(before);
    const second = await serve(site);
    try {
      // The first request opens the content.
      await fetch(`${second.origin}/healthz`);
      await eventually(async () =>
        expect(git('log', '-1', '--format=%an %s')).toBe('jane Update article "New moon"'),
      );
      expect(git('show', '--format=', '--name-only')).toBe('content/article/moon.md');
      expect(await (await fetch(`${second.origin}/healthz`)).json()).toMatchObject({
        git: { commits: 'ok' },
      });
    } finally {
      await second.stop();
    }
  });
});

describe('astro dev with option git', () => {
  it('commits as accounts and as the local author', async () => {
    const server = await serveDev(site, { QUIET: '1' });
    try {
      expect((await retitle(server, 'Moon of dev')).status).toBe(201);
      await eventually(async () =>
        expect(git('log', '-1', '--format=%an %s')).toBe('jane Update article "Moon of dev"'),
      );
      const page = await fetch(`${server.origin}/admin`);
      const cookie = page.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      expect((await retitle(server, 'My moon', { cookie })).status).toBe(201);
      await eventually(async () =>
        expect(git('log', '-1', '--format=%an <%ae> %s')).toBe(
          'The site <site@example.org> Update article "My moon"',
        ),
      );
    } finally {
      await server.stop();
    }
  });
});
