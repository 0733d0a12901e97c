import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runGit, startRepository } from '../support/git-site.ts';
import { build, emptySite, type Site, serve } from './site.ts';

const FILES: Readonly<Record<string, string>> = {
  'astro.config.mjs': `import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default {
  ...(process.env.SERVER && { adapter: node({ mode: 'standalone' }) }),
  ...JSON.parse(process.env.CONFIG ?? '{}'),
  integrations: [jsonapi(JSON.parse(process.env.JSONAPI_OPTIONS ?? '{}'))],
};
`,
  'src/pages/index.astro': '<p>Home</p>\n',
  'content/post/apple.md': '---\ntitle: Apple\n---\n',
  '.gitignore': 'dist*\n.astro*\nnode_modules\n',
};
const DEPLOY = { deploy: { url: 'https://example.com' } };

describe('build.json', () => {
  let site: Site;
  let commit: string;
  const git = (...args: readonly string[]) => runGit(site.dir, args);
  const options = (all: object) => ({ JSONAPI_OPTIONS: JSON.stringify(all) });
  const written = (file: string) => JSON.parse(readFileSync(site.file('dist', file), 'utf8'));

  beforeAll(() => {
    site = emptySite('deploy');
    startRepository(site.dir, FILES);
    commit = git('rev-parse', 'HEAD');
  });
  afterAll(() => site?.remove());

  it('has the commit and the time of a static build, below option api.prefix', async () => {
    const before = new Date().toISOString();
    await build(site, { ...options({ ...DEPLOY, api: { prefix: '/cms' } }), CONFIG: '{"base":"/docs"}' });
    const file = written('cms/jsonapi/build.json');
    expect(file).toEqual({ commit, time: expect.any(String) });
    expect(file.time > before && file.time < new Date().toISOString()).toBe(true);
  });

  it('is served by a built server', async () => {
    await build(site, { ...options({ ...DEPLOY, editing: true }), SERVER: 'node' });
    const server = await serve(site);
    try {
      const response = await fetch(`${server.origin}/jsonapi/build.json`);
      expect(await response.json()).toMatchObject({ commit });
      expect((await fetch(`${server.origin}/jsonapi/_deploy`)).status).toBe(401);
    } finally {
      await server.stop();
    }
  });

  it('is not written without the option', async () => {
    await build(site, options({}));
    expect(existsSync(site.file('dist/index.html'))).toBe(true);
    expect(existsSync(site.file('dist/jsonapi/build.json'))).toBe(false);
  });
});
