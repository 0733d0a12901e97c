import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { build, emptySite, type ServedProcess, type Site, serve } from './site.ts';

describe('a built server', () => {
  let site: Site;
  let server: ServedProcess;
  let token: string;

  beforeAll(async () => {
    site = emptySite('markup');
    const files = {
      'astro.config.mjs': `import mdx from '@astrojs/mdx';
import node from '@astrojs/node';
import jsonapi from 'astro-jsonapi';
export default {
  adapter: node({ mode: 'standalone' }),
  integrations: [mdx(), jsonapi({ editing: true, roles: { coder: { also: ['write mdx'] } } })],
};
`,
      'src/pages/index.astro': '<h1>Home</h1>\n',
      'src/components/tide-bar.astro':
        '---\ninterface Props { height: number }\n---\n<p class="bar">{Astro.props.height} m</p>\n',
      'content/article/deep/one.mdx':
        "---\ntitle: One\n---\nimport TideBar from '/src/components/tide-bar.astro';\n\n<TideBar height={3} />\n",
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(site.file(file)), { recursive: true });
      writeFileSync(site.file(file), text);
    }
    ({ cody: token } = await addAccounts(site.file('.astro-jsonapi/accounts.json'), {
      cody: { roles: ['editor', 'coder'] },
    }));
    await build(site);
    rmSync(site.file('src'), { recursive: true });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const get = async (address: string) => {
    const response = await fetch(server.origin + address, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as { data: { attributes: Record<string, unknown> } };
  };

  it('knows the components of its build', async () => {
    expect((await get('/jsonapi/_markup')).data.attributes).toEqual({
      components: [
        {
          name: 'TideBar',
          from: '/src/components/tide-bar.astro',
          named: false,
          props: [{ name: 'height', kind: 'number', required: true }],
          content: false,
        },
      ],
      callouts: {},
    });
  });

  it('has rendered a component that is imported by its path from the root', async () => {
    const { body } = (await get('/jsonapi/node/article/deep/one')).data.attributes;
    expect(body).toMatchObject({ processed: expect.stringContaining('<p class="bar">3 m</p>') });
  });
});
