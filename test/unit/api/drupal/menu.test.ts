import { describe, expect, it } from 'vitest';
import { answer } from '../../../../integration/core/api/jsonapi/answer.ts';
import type { Services } from '../../../../integration/core/api/request.ts';
import type { PrimaryData } from '../../../../integration/core/read/document-types.ts';
import { menuProblems } from '../../../../integration/features/drupal/menu-problems.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices, staticFiles } from '../../../support/services.ts';

const MENU = 'menu_link_content--main';
const FILES = {
  'article/first.md': '---\npath: /journal/first\n---\n',
  'article/hidden.md': '---\npath: /secret\ndraft: true\n---\n',
  [`${MENU}/home.yaml`]: 'title: Home\nurl: /\nweight: -10\ndescription: The front page\n',
  [`${MENU}/about.yaml`]: 'title: About\nurl: internal:/about\nweight: 5\nexpanded: true\n',
  [`${MENU}/team.yaml`]: 'title: Team\nurl: /about/team\nparent: about\n',
  [`${MENU}/boss.yaml`]: 'title: Boss\nurl: /about/team/boss\nparent: menu_link_content:team\n',
  [`${MENU}/alpha.yaml`]: 'title: alpha\nurl: https://other.example/a\nweight: 5\nparent: about\n',
  [`${MENU}/beta.yaml`]: 'title: Beta\nurl: "#below"\nweight: 5\nparent: about\n',
  [`${MENU}/journal.yaml`]: 'title: Journal\nurl: /journal/first\nweight: 1\n',
  [`${MENU}/off.yaml`]: 'title: Off\nurl: /off\nenabled: false\n',
  [`${MENU}/below-off.yaml`]: 'title: Below off\nurl: /off/below\nparent: off\n',
  [`${MENU}/draft.yaml`]: 'title: Draft\nurl: /draft\ndraft: true\n',
  [`${MENU}/below-draft.yaml`]: 'title: Below draft\nurl: /draft/below\nparent: draft\n',
  [`${MENU}/circle-a.yaml`]: 'title: A\nurl: /a\nparent: circle-b\n',
  [`${MENU}/circle-b.yaml`]: 'title: B\nurl: /b\nparent: circle-a\n',
  [`${MENU}/lost.yaml`]: 'title: Lost\nurl: /lost\nparent: nowhere\n',
  [`${MENU}/script.yaml`]: 'title: Script\nurl: "javascript:alert(1)"\nweight: 20\n',
  [`${MENU}/host.yaml`]: 'title: Host\nurl: "//other.example"\nweight: 21\n',
  [`${MENU}/tab.yaml`]: 'title: Tab\nurl: "/\\t/other.example"\nweight: 22\n',
  'menu_link_content--footer/a.yaml': 'title: A\nlink: article/first\n',
  'menu_link_content--footer/b.yaml': 'title: B\nlink: article/hidden\n',
  'menu_link_content--footer/c.yaml': 'title: C\nparent: b\nlink: article/first\n',
};

function services(settings: Partial<Services['settings']> = {}): Promise<Services> {
  return createServices(createMemoryDriver(FILES), undefined, { settings });
}

function attributesIn(data: PrimaryData) {
  return [data]
    .flat()
    .flatMap((item) => (item !== null && 'attributes' in item ? [item.attributes ?? {}] : []));
}

async function items(menu: string, query = ''): Promise<readonly (readonly unknown[])[]> {
  const { data } = await answer(await services(), `/menu_items/${menu}${query}`);
  return attributesIn(data).map((attributes) => [attributes.title, attributes.url]);
}

describe('a menu', () => {
  it('is flat, in tree order: by weight, then title', async () => {
    expect(await items('main')).toEqual([
      ['Home', '/'],
      ['Journal', '/journal/first'],
      ['About', '/about'],
      ['Team', '/about/team'],
      ['Boss', '/about/team/boss'],
      ['alpha', 'https://other.example/a'],
      ['Beta', '#below'],
      ['Script', ''],
      ['Host', ''],
      ['Tab', ''],
    ]);
  });

  it('has the members of Drupal’s menu items', async () => {
    const document = await answer(await services(), '/menu_items/main');
    const [home] = [document.data].flat();
    const [, journal, , team] = attributesIn(document.data);
    expect(home).toEqual({
      type: 'menu_link_content--menu_link_content',
      id: 'menu_link_content:home',
      attributes: {
        description: 'The front page',
        enabled: true,
        expanded: false,
        menu_name: 'main',
        meta: { entity_id: 'home' },
        options: {},
        parent: '',
        provider: 'menu_link_content',
        route: { name: '', parameters: {} },
        title: 'Home',
        url: '/',
        weight: '-10',
      },
    });
    expect(journal).toMatchObject({
      description: null,
      route: { name: 'entity.node.canonical', parameters: { node: 'first' } },
    });
    expect(team).toMatchObject({ parent: 'menu_link_content:about', weight: '0' });
    expect(document.links).toEqual({ self: { href: '/jsonapi/menu_items/main' } });
  });

  it('follows references, and omits items with unseen targets together with their children', async () => {
    expect(await items('footer')).toEqual([['A', '/journal/first']]);
  });

  it('returns the requested fields, and lists ignored parameters', async () => {
    const query =
      '?fields[menu_link_content--menu_link_content]=title,url,nope&fields[x]=y&filter[enabled]=1';
    const { data, meta } = await answer(await services(), `/menu_items/main${query}`);
    expect(Object.keys(attributesIn(data)[0] ?? {})).toEqual(['title', 'url']);
    expect(meta).toEqual({
      ignored: ['filter[enabled]', 'fields[menu_link_content--menu_link_content]=nope', 'fields[x]'],
    });
  });

  it('includes the base in its addresses', async () => {
    const { data, links } = await answer(await services({ base: '/docs' }), '/menu_items/main');
    expect(attributesIn(data).map((attributes) => attributes.url)).toEqual(
      expect.arrayContaining(['/docs/', '/docs/journal/first', 'https://other.example/a', '#below']),
    );
    expect(links.self?.href).toBe('/docs/jsonapi/menu_items/main');
  });

  it.each([
    ['/jsonapi/menu_items/main', 200],
    ['/jsonapi/menu_items/MAIN/', 200],
    ['/jsonapi/menu_items/nope', 404],
    ['/jsonapi/menu_items', 404],
    ['/jsonapi/menu_items/main/home', 404],
    ['/jsonapi/menu_items/main?include=parent', 400],
    ['/jsonapi/menu_items/main?nope=1', 400],
  ])('%s returns %s', async (path, status) => {
    const handle = createHandler(await services());
    const response = await fetchFrom(handle, path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json');
  });

  it('supports the methods of every document', async () => {
    const handle = createHandler(await services());
    for (const [menu, status] of [
      ['main', 200],
      ['nope', 404],
    ] as const) {
      const url = `https://site.example/jsonapi/menu_items/${menu}`;
      expect((await handle(new Request(url, { method: 'OPTIONS' })))?.status).toBe(status);
    }
  });

  it('is the same as a file, except for its own address', async () => {
    const all = await services();
    const files = await staticFiles(all);
    const { data, links } = JSON.parse(files.get('jsonapi/menu_items/main.json') ?? '{}');
    expect(data).toEqual((await answer(all, '/menu_items/main')).data);
    expect(links.self.href).toBe('/jsonapi/menu_items/main.json');
    expect(files.has('jsonapi/menu_items/footer.json')).toBe(true);
  });

  it('gives way to content with the entity type menu_items', async () => {
    const all = await createServices(createMemoryDriver({ 'menu_items--main/a.md': '', 'page/b.md': '' }));
    expect((await answer(all, '/menu_items/main')).data).toMatchObject([{ type: 'menu_items--main' }]);
  });

  it('warns its author of unreachable items', async () => {
    const problems = menuProblems((await services()).store).map(({ key, code }) => [key, code]);
    expect(problems).toEqual([
      [`${MENU}/circle-a.yaml`, 'menu/circle'],
      [`${MENU}/circle-b.yaml`, 'menu/circle'],
      [`${MENU}/host.yaml`, 'menu/url'],
      [`${MENU}/lost.yaml`, 'menu/parent'],
      [`${MENU}/script.yaml`, 'menu/url'],
      [`${MENU}/tab.yaml`, 'menu/url'],
    ]);
  });
});
