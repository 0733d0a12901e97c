import { satteri } from '@astrojs/markdown-satteri';
import { describe, expect, it } from 'vitest';
import { createBodyRenderer } from '../../../integration/astro/markdown.ts';
import { type Actor, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { tooling } from '../../../integration/features/markup/tooling.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { adminApp, createServices } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EDITOR: Actor = { name: 'ed', roles: ['editor'] };
const DEVELOPER: Actor = { name: 'dev', roles: ['developer'] };
const FILES = { 'article/a.md': '---\ntitle: A\n---\nText\n', 'tag/sea.yaml': 'title: Sea\n' };

type Renderer = Awaited<ReturnType<ReturnType<typeof satteri>['createRenderer']>>;

async function openSite(
  root: string,
  createRenderer = async (): Promise<Renderer> => satteri().createRenderer({}),
) {
  const { markup } = tooling.parts!({ base: '' }, async () => ({}));
  const services = await createServices(createMemoryDriver(FILES), undefined, {
    settings: { admin: true },
    roles: { developer: { also: ['write mdx'] } },
    renderBody: createBodyRenderer({ createRenderer, contentUrl: new URL('file:///site/content/') }),
    writable: { options: {}, markup: async (_, opened) => markup!(root, opened) },
  });
  const handle = createHandler(services, { adminApp });
  return async (actor: Actor = ANONYMOUS) => ask(handle, 'GET', '/jsonapi/_markup', { actor });
}

describe('the markup of texts', () => {
  it('are the components of the site, for accounts that may write MDX', async () => {
    const root = temporaryFolder({
      'src/components/story-card.astro':
        '---\r\ninterface Props {\r\n  title: string;\r\n}\r\n---\r\n<b>{Astro.props.title}</b><slot />\r\n',
      'src/components/charts/Bar.astro': '<b>Bar</b>\n',
      'src/components/helper.ts': 'throw new Error("run");\n',
      'src/components/404.astro': '<b>404</b>\n',
    });
    const read = await openSite(root);
    expect((await read(DEVELOPER)).json.data.attributes.components).toEqual([
      { name: 'Bar', from: '/src/components/charts/Bar.astro', named: false, props: [], content: false },
      {
        name: 'StoryCard',
        from: '/src/components/story-card.astro',
        named: false,
        props: [{ name: 'title', kind: 'string', required: true }],
        content: true,
      },
    ]);
    expect((await read(EDITOR)).json.data.attributes.components).toEqual([]);
    expect((await read()).status).toBe(401);
  });

  it('are those of Starlight, if the site has it', async () => {
    const root = temporaryFolder({
      'package.json': '{ "dependencies": { "@astrojs/starlight": "*" } }',
      'node_modules/@astrojs/starlight/package.json': '{ "exports": { "./components": "./components.ts" } }',
      'node_modules/@astrojs/starlight/components.ts':
        "export { default as Card } from './user/Card.astro';\n",
      'node_modules/@astrojs/starlight/user/Card.astro':
        '---\ninterface Props { icon?: string }\n---\n<slot/>',
    });
    const { components } = (await (await openSite(root))(DEVELOPER)).json.data.attributes;
    expect(components).toEqual([
      {
        name: 'Card',
        from: '@astrojs/starlight/components',
        named: true,
        props: [{ name: 'icon', kind: 'string' }],
        content: true,
      },
    ]);
  });

  it.each([
    ['none of the default renderer', undefined, {}],
    [
      'directives, if the renderer shows them',
      (text: string) => text.replace(/:::(note|tip)\n(.*)\n:::/g, '<aside class="$1"><p>$2</p></aside>'),
      { 'node--article': { syntax: 'directive', kinds: ['note', 'tip'] } },
    ],
    ['no directives that only lose their marks', (text: string) => text.replace(/:::(\w+)?/g, ''), {}],
    [
      'alerts of GitHub, if the renderer shows them',
      (text: string) => text.replace(/> \[!(NOTE|CAUTION)\]\n> (.*)/g, '<div class="alert-$1">$2</div>'),
      { 'node--article': { syntax: 'alert', kinds: ['note', 'caution'] } },
    ],
  ])('are callouts: %s', async (_, render, expected) => {
    const renderer = render && (async () => ({ render: async (text: string) => ({ code: render(text) }) }));
    const read = await openSite(temporaryFolder(), renderer as unknown as () => Promise<Renderer>);
    expect((await read(EDITOR)).json.data.attributes).toEqual({ components: [], callouts: expected });
  });
});
