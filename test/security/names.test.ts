import { beforeAll, describe, expect, it } from 'vitest';
import type { Roles } from '../../integration/core/access/role.ts';
import { publishedServices } from '../../integration/core/api/published.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler as createEdgeHandler } from '../../integration/edge.ts';
import { loadMcpSdk } from '../../integration/features/mcp/load-mcp-sdk.ts';
import { openDatabase } from '../../integration/features/postgres/database.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { openSite, store } from '../postgres/services.ts';
import { createTestSnapshot } from '../snapshot/snapshot.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { fetchFrom, type TestRequest } from '../support/request.ts';
import { adminApp, createServices, staticFiles } from '../support/services.ts';
import { createTestAuth } from '../unit/accounts/test-auth.ts';

/**
 * A site in which each hidden thing has a name that nothing else has: `zebrine`, `quagga` and `okapi` are bundles that are
 * not in the API, with their entities, fields and options; `okapi` is the target of a reference. `numbat` is an entity of a
 * bundle that not all roles see, `tapir` an unpublished entity, `ibex` an unpublished one to which a published one refers,
 * and `saiga` a field that not all roles see.
 */
const FILES = {
  'article/story.md':
    '---\ntitle: Story\nsource: okapi/okapi\npages: [plan-ibex, about]\nsaiga: saiga\nuid: clerk\n---\nText.\n',
  'article/story.de.md': '---\ntitle: Geschichte\n---\nText.\n',
  'article/tapir.md':
    '---\ntitle: Tapir tapir\nstatus: false\nwords: [tapir]\npath: { alias: /tapir }\nsource: okapi/okapi\n---\nTapir text.\n',
  'article/story.fr.md': '---\ntitle: Tapir tapir\nstatus: false\n---\nTapir text.\n',
  'page/about.md': '---\ntitle: About\n---\n',
  'page/plan-ibex.md': '---\ntitle: Tapir plan\nstatus: false\n---\n',
  'memo/numbat.md':
    '---\ntitle: Numbat numbat\nnumbat: numbat\npath: { alias: /numbat }\n---\nNumbat ![](./numbat.png)\n',
  'okapi/okapi.md': '---\ntitle: Okapi okapi\nokapi_field: okapi\nstory: article/story\n---\nOkapi text.\n',
  'zebrine/zebrine.md': '---\ntitle: Zebrine\nzebrine_field: zebrine\n---\nZebrine text.\n',
  'term--quagga/quagga.yaml': 'title: Quagga\nquagga_field: quagga\n',
  'menu_link_content--quagga-menu/quagga.yaml': 'title: Quagga\nlink: /quagga\n',
};

const SCHEMA = defineSchema({
  article: {
    source: reference('okapi').nullish(),
    pages: z.array(reference('page')).default([]),
    saiga: z.string().nullish(),
    words: z.array(z.string()).default([]),
  },
  page: {},
  memo: { numbat: z.string().nullish() },
  okapi: { okapi_field: z.string().nullish(), story: reference('article').nullish() },
  zebrine: { zebrine_field: z.string().nullish() },
  'term--quagga': { quagga_field: z.string().nullish() },
});

const PUBLIC = {
  actions: ['view'],
  bundles: ['article', 'page'],
  where: 'published',
  fields: { view: { except: ['saiga', 'uid'] } },
} as const;
const ROLES: Roles = {
  anonymous: { permissions: [PUBLIC] },
  authenticated: { permissions: [PUBLIC] },
  clerk: { permissions: [{ actions: ['create', 'update', 'delete'], bundles: ['article'], where: 'own' }] },
  desk: { permissions: [{ actions: ['view', 'create', 'update', 'delete'], bundles: '*' }] },
};

const QUERIES = {
  recent: '/node/article?sort=-created',
  'zebrine-list': '/node/zebrine?sort=zebrine_field',
  'quagga--block': '/term/quagga',
  'okapi-one': '/jsonapi/node/okapi/okapi',
};

async function open() {
  const services = await createServices(createMemoryDriver(FILES), SCHEMA, {
    roles: ROLES,
    writable: {},
    settings: {
      hiddenTypes: ['zebrine', 'okapi', 'term--quagga', 'menu_link_content--quagga-menu'],
      plurals: {
        zebrine: 'zebrine-all',
        'term--quagga': 'quagga-all',
        okapi: 'okapi-all',
        article: 'stories',
      },
      indexes: {
        all: { bundles: ['article', 'zebrine', 'quagga', 'memo'], facets: { words: {}, saiga: {} } },
        'zebrine-index': { bundles: ['zebrine'], facets: { zebrine_field: {} } },
        'quagga-index': { bundles: ['quagga'], facets: {} },
      },
      staticQueries: QUERIES,
      languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] }),
      explorer: true,
      admin: true,
      signIn: true,
    },
  });
  const auth = createTestAuth();
  const handle = createHandler(services, { auth, adminApp, loadMcpSdk });
  const headersOf: Record<string, Record<string, string>> = { anonymous: {} };
  for (const [name, roles] of Object.entries({
    reader: [],
    clerk: ['clerk'],
    desk: ['desk'],
    administrator: ['administrator'],
  })) {
    await auth.accounts.add({ name, roles });
    const token = { label: '', scope: 'write', expires: null } as const;
    const { secret } = await auth.accounts.addToken(name, token);
    headersOf[name] = { authorization: `Bearer ${secret}` };
  }
  return { services, handle, headersOf };
}

const NOT_IN_API = ['zebrine', 'quagga', 'okapi'];
const HIDDEN = ['numbat', 'tapir', 'plan-ibex', 'saiga'];
/** The names that may not be in answers to an actor. */
const CANARIES: Readonly<Record<string, readonly string[]>> = {
  anonymous: [...NOT_IN_API, ...HIDDEN],
  reader: [...NOT_IN_API, ...HIDDEN],
  clerk: [...NOT_IN_API, ...HIDDEN],
  desk: NOT_IN_API,
  administrator: NOT_IN_API,
};

/** What SECURITY.md allows: target types of references, also in errors about these, and ids in references. */
const ALLOWED = [
  /(?<=\\?"|reference to )node--okapi(?=[",\\])/g,
  /"type":"okapi"/g,
  /node--okapi(?= has no field)/g,
  /(?<=Valid targets: )okapi/g,
  /(?<=There is no `)okapi(?=\/)/g,
  // In JSON, and in JSON that is a text in JSON.
  /(?<="type\\?":\\?"(?:node--)?page\\?",\\?"id\\?":\\?"|"drupal_internal__target_id\\?":\\?")plan-ibex/g,
  // `meta.omitted` links to the target of a reference that an actor may not see.
  /plan-ibex(?=\\?",\\?"meta\\?":\{\\?"rel\\?":\\?"item)/g,
];

/** The names in a text, except in places where they are allowed. */
function namesIn(text: string, names: readonly string[]): readonly string[] {
  const rest = ALLOWED.reduce((left, pattern) => left.replaceAll(pattern, ''), text).toLowerCase();
  return names.filter((name) => rest.includes(name));
}

/** The answers that have a name, with its place. */
function tellTales(answers: readonly Answer[], names: readonly string[]): readonly string[] {
  return answers.flatMap(({ asked, text }) =>
    namesIn(text, names).map((name) => {
      const at = text.toLowerCase().search(name);
      return `${asked}: ${name} in …${text.slice(Math.max(0, at - 150), at + 150)}…`;
    }),
  );
}

type Asked = readonly [path: string, request?: TestRequest];

/** Similar to hidden names, so that errors would suggest these. */
const SIMILAR = [
  'zebrime',
  'zebrime-al',
  'quagha',
  'okapj',
  'okapj-al',
  'numbet',
  'tapyr',
  'saigo',
  'articel',
  'memp',
];
/** Names that are hidden from everyone. */
const EXACT = ['zebrine', 'zebrine-all', 'quagga', 'quagga-all', 'okapi', 'okapi-all'];

const READ: readonly string[] = [
  '/jsonapi',
  '/de/jsonapi',
  '/jsonapi?fields=a',
  '/jsonapi/openapi.json',
  '/jsonapi-explorer/schema.json',
  '/jsonapi-explorer/explain.json?url=/jsonapi/node/article?include=source',
  '/jsonapi/node/article',
  '/jsonapi/node/article?include=source,pages',
  '/jsonapi/node/article?include=source.story,pages',
  '/jsonapi/node/article?filter[source.okapj_field]=a',
  '/jsonapi/node/article?filter[source.titel]=a',
  '/jsonapi/node/article?facetBy=source&facetBy[source.title]=&facetBy[pages]=',
  '/jsonapi/node/article?sort=source.title,source.id,pages.title',
  '/jsonapi/node/article?filter[fulltext]=text',
  '/jsonapi/node/article?fields[node--article]=titel',
  '/jsonapi/node/article/story',
  '/jsonapi/node/article/story?include=source',
  '/jsonapi/node/article/story/source',
  '/jsonapi/node/article/story/pages',
  '/jsonapi/node/article/story/sourc',
  '/jsonapi/node/article/story/relationships/source',
  '/jsonapi/node/article/story/relationships/sourc',
  '/jsonapi/node/article/resource/schema',
  '/jsonapi/node/memo',
  '/jsonapi/node/memo/resource/schema',
  '/jsonapi/node/page',
  '/fr/jsonapi/node/article/story',
  '/jsonapi/index/_all',
  '/jsonapi/index/_all?facetBy[type]=',
  '/jsonapi/index/_all?filter[fulltext]=text',
  '/jsonapi/index/all',
  '/jsonapi/views/recent/default',
  '/api/content',
  '/api/content/stories',
  '/api/content/stories/story',
  '/api/content/stories?fields=titel',
  '/v1/api/content/memos',
  '/router/translate-path?path=/node/article/story',
  '/jsonapi/_me',
  '/jsonapi/_status',
  '/jsonapi/_files',
  '/jsonapi/_files?filter[used]=true',
  '/jsonapi/_files?beside=node--article/story',
  '/jsonapi/_conflicts',
  '/jsonapi/_accounts',
  '/jsonapi/_accounts/clerk',
  '/healthz',
  '/user/login_status?_format=json',
  '/user/login',
];

/** Addresses with a name in each possible place of a request. */
const readWith = (name: string): readonly string[] => [
  `/jsonapi/node/${name}`,
  `/jsonapi/term/${name}`,
  `/jsonapi/${name}/${name}`,
  `/jsonapi/node/${name}/${name}/${name}`,
  `/jsonapi/node/${name}/resource/schema`,
  `/jsonapi/node/article/${name}`,
  `/jsonapi/node/memo/${name}`,
  `/jsonapi/node/article/story/${name}`,
  `/jsonapi/node/article/story/relationships/${name}`,
  `/jsonapi/node/article?include=${name}`,
  `/jsonapi/node/article?include=source.${name},pages.${name}`,
  `/jsonapi/node/article?filter[${name}]=a`,
  `/jsonapi/node/article?filter[a][condition][path]=source.${name}&filter[a][condition][value]=a`,
  `/jsonapi/node/article?sort=${name}`,
  `/jsonapi/node/article?sort=pages.${name}`,
  `/jsonapi/node/article?facetBy[${name}]=`,
  `/jsonapi/node/article?fields[node--${name}]=title`,
  `/jsonapi/node/article?fields[node--article]=${name}`,
  `/jsonapi/node/article?filter[source.id]=${name}`,
  `/jsonapi/node/article?filter[fulltext]=${name}`,
  `/jsonapi/node/article?langCode=${name}`,
  `/jsonapi/index/${name}`,
  `/jsonapi/index/${name}-index`,
  `/jsonapi/index/all?filter[${name}]=a`,
  `/jsonapi/views/${name}/default`,
  `/jsonapi/views/${name}-list/default`,
  `/jsonapi/views/${name}/block`,
  `/jsonapi/views/recent/default?views-filter[${name}]=a`,
  `/jsonapi/menu_items/${name}`,
  `/jsonapi/menu_items/${name}-menu`,
  `/api/content/${name}`,
  `/api/content/node--${name}`,
  `/api/content/${name}s`,
  `/api/content/${name}/${name}`,
  `/api/content/stories/${name}`,
  `/api/content/stories?${name}=a`,
  `/api/content/stories?include=${name}`,
  `/api/content/stories?sort=${name}`,
  `/router/translate-path?path=/${name}`,
  `/router/translate-path?path=/node/${name}/${name}`,
  `/router/translate-path?path=/node/article/${name}`,
  `/jsonapi-explorer/explain.json?url=/jsonapi/node/${name}`,
  `/jsonapi/_files?search=${name}`,
  `/jsonapi/_files?beside=node--${name}/${name}`,
  `/jsonapi/_files/content/${name}/${name}.png`,
  `/content-files/${name}/${name}.png`,
  `/jsonapi/_jobs/${name}`,
  `/jsonapi/_conflicts/${name}`,
  `/jsonapi/_accounts/${name}`,
  `/node/add/${name}`,
  `/node/${name}/edit`,
];

const ATOMIC = { 'content-type': 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"' };
const resource = (type: string, attributes: object = {}, relationships: object = {}) => ({
  type,
  id: 'fresh',
  attributes: { title: 'Fresh', ...attributes },
  relationships,
});
const tool = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });

const MCP: readonly object[] = [
  { method: 'tools/list' },
  tool('schema', {}),
  tool('schema', { type: 'node--article' }),
  tool('schema', { type: 'node--memo' }),
  tool('query', { type: 'node--article' }),
  tool('query', { type: 'node--article', query: 'include=source,pages' }),
  tool('read', { type: 'node--article', id: 'story', include: 'source' }),
  tool('history', { type: 'node--article', id: 'story' }),
  tool('change', {
    operations: [{ op: 'update', data: { type: 'node--article', id: 'story' } }],
    dryRun: true,
  }),
];
const mcpWith = (name: string): readonly object[] => [
  tool(name, {}),
  tool('schema', { type: `node--${name}` }),
  tool('query', { type: `node--${name}` }),
  tool('query', { type: 'node--article', query: `filter[${name}]=a` }),
  tool('read', { type: `node--${name}`, id: name }),
  tool('read', { type: 'node--article', id: name }),
  tool('history', { type: `node--${name}`, id: name }),
  tool('change', { operations: [{ op: 'add', data: resource(`node--${name}`) }], dryRun: true }),
  tool('change', { operations: [{ op: 'remove', ref: { type: `node--${name}`, id: name } }] }),
];

const changesWith = (name: string): readonly Asked[] => [
  [`/jsonapi/node/${name}`, { method: 'POST', body: { data: resource(`node--${name}`) } }],
  [`/api/content/${name}`, { method: 'POST', body: { title: 'Fresh' } }],
  [`/jsonapi/node/${name}/${name}`, { method: 'PATCH', body: { data: resource(`node--${name}`) } }],
  [`/jsonapi/node/${name}/${name}`, { method: 'DELETE' }],
  [`/jsonapi/node/article/${name}`, { method: 'DELETE' }],
  ['/jsonapi/node/article', { method: 'POST', body: { data: resource(`node--${name}`) } }],
  ['/jsonapi/node/article', { method: 'POST', body: { data: resource('node--article', { [name]: 'a' }) } }],
  ...['source', 'pages', name].map((field): Asked => {
    const identifier = { type: `node--${name}`, id: name };
    const data = field === 'pages' ? [identifier] : identifier;
    const body = { data: resource('node--article', {}, { [field]: { data } }) };
    return ['/jsonapi/node/article', { method: 'POST', body }];
  }),
  ['/api/content/stories', { method: 'POST', body: { title: 'Fresh', [name]: 'a' } }],
  ['/api/content/stories', { method: 'POST', body: { title: 'Fresh', source: name, pages: [name] } }],
  [
    '/jsonapi/operations',
    {
      method: 'POST',
      headers: ATOMIC,
      body: { 'atomic:operations': [{ op: 'add', data: resource(`node--${name}`) }] },
    },
  ],
  [
    '/subrequests',
    {
      method: 'POST',
      body: [{ requestId: 'a', uri: `/jsonapi/node/${name}`, action: 'view' }],
    },
  ],
  [`/jsonapi/node/${name}`, { method: 'OPTIONS' }],
  [`/jsonapi/node/article/${name}`, { method: 'OPTIONS' }],
];

const gets = (paths: readonly string[]): readonly Asked[] => paths.map((path) => [path]);
const calls = (messages: readonly object[]): readonly Asked[] =>
  messages.map((message) => [
    '/jsonapi/mcp',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, ...message },
    },
  ]);
const askedWith = (name: string) => [...gets(readWith(name)), ...calls(mcpWith(name)), ...changesWith(name)];

interface Answer {
  readonly asked: string;
  readonly status: number;
  /** Headers and body. */
  readonly text: string;
}

async function ask(handle: Handler, headers: Record<string, string>, asked: Asked): Promise<Answer> {
  const [path, request = {}] = asked;
  const merged = { ...(request.headers as Record<string, string>), ...headers };
  const response = await fetchFrom(handle, path, { ...request, headers: merged }).catch((error: unknown) => {
    if (error instanceof Error && error.message.endsWith('has no response.')) return Response.json(null);
    throw error;
  });
  const { status } = response;
  const text = `${JSON.stringify([...response.headers])}\n${await response.text()}`;
  return { asked: `${request.method ?? 'GET'} ${path} ${JSON.stringify(request.body) ?? ''}`, status, text };
}

describe.each(Object.keys(CANARIES))('to %s, answers of the server', (actor) => {
  let site: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    site = await open();
  });
  const answersTo = async (asked: readonly Asked[]) => {
    const answers: Answer[] = [];
    for (const each of asked) answers.push(await ask(site.handle, site.headersOf[actor] ?? {}, each));
    return answers;
  };

  it('name nothing that is hidden', async () => {
    const answers = await answersTo([...gets(READ), ...calls(MCP)]);
    expect(tellTales(answers, CANARIES[actor]!)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(25);
    const all = answers.map(({ text }) => text).join('\n');
    // The answers that the rule allows are there.
    expect(all).toContain('"node--okapi"');
    expect(all).toContain('"plan-ibex"');
    const seesAll = CANARIES[actor] === NOT_IN_API;
    expect(namesIn(all, HIDDEN)).toEqual(seesAll ? HIDDEN : []);
  });

  it('suggest nothing that is hidden in place of a misspelled name', async () => {
    const answers = await answersTo(SIMILAR.flatMap(askedWith));
    expect(tellTales(answers, CANARIES[actor]!)).toEqual([]);
    const all = answers.map(({ text }) => text).join('\n');
    expect(all).toContain('Did you mean');
  });

  it.each([...EXACT, ...(CANARIES[actor] === NOT_IN_API ? [] : HIDDEN)])(
    'are the same for %s and a name of nothing',
    async (name) => {
      const nothing = name.replaceAll(/\w/g, 'x');
      // The name of a target is allowed in changes, whose errors name it.
      const requests = name === 'okapi' ? (each: string) => gets(readWith(each)) : askedWith;
      const [asked, other] = [await answersTo(requests(name)), await answersTo(requests(nothing))];
      const plain = ({ asked, status, text }: Answer, own: string) => [
        asked.replaceAll(own, '…'),
        status,
        text
          .slice(text.indexOf('\n'))
          .replaceAll(own, '…')
          .replaceAll(/(?<=node--|"type":")okapi|plan-ibex/g, '…')
          // Names are similar to others by chance.
          .replaceAll(/ Did you mean [^?]*\?/g, '')
          .replaceAll(/"(?:revision|time|created|changed)":"[^"]*"/g, ''),
      ];
      expect(asked.map((each) => plain(each, name))).toEqual(other.map((each) => plain(each, nothing)));
    },
  );
});

describe('a static site', () => {
  let services: Services;
  beforeAll(async () => {
    ({ services } = await open());
  });
  const names = CANARIES.anonymous!;

  it('has no file with a hidden name', async () => {
    const { staticQueries: _, ...settings } = services.settings;
    const files = await staticFiles({
      ...services,
      settings: { ...settings, staticQueries: { recent: '/node/article' } },
    });
    expect(files.size).toBeGreaterThan(15);
    const answers = [...files].map(([asked, text]) => ({ asked, status: 200, text: asked + text }));
    expect(tellTales(answers, names)).toEqual([]);
  });

  it('has a snapshot that names nothing that is hidden', async () => {
    const { files } = await createTestSnapshot(publishedServices(services));
    expect(files.size).toBeGreaterThan(0);
    const answers = [...files].map(([asked, bytes]) => {
      // A column of references has ids.
      const text = new TextDecoder().decode(bytes).replaceAll('"plan-ibex"', '');
      return { asked, status: 200, text: asked + text };
    });
    expect(tellTales(answers, names)).toEqual([]);
  });

  it.each(['a browser', 'the edge'])('returns no hidden name in %s', async (place) => {
    const snapshot = await createTestSnapshot(publishedServices(services));
    const handle: Handler =
      place === 'a browser'
        ? snapshot.handle
        : createEdgeHandler({ read: (name) => snapshot.files.get(name) });
    const asked = gets([...READ, ...SIMILAR.flatMap(readWith)]);
    const answers: Answer[] = [];
    for (const each of asked) answers.push(await ask(handle, {}, each));
    expect(tellTales(answers, names)).toEqual([]);
    expect(answers.filter(({ text }) => !text.endsWith('\nnull')).length).toBeGreaterThan(200);
  });
});

describe.skipIf(!HAS_POSTGRES)('a server over PostgreSQL', () => {
  const postgres = usePostgres();

  it('returns no hidden name', async () => {
    const { services } = await open();
    const search = { language: 'en', languages: { de: 'de', fr: 'fr' } } as const;
    const db = openDatabase({ url: postgres().url, schema: 'names' });
    await store(db, 'names', publishedServices(services), search);
    await db.destroy();
    const { languages } = services.settings;
    const site = await openSite(postgres().url, 'names', services, search, {
      roles: ROLES,
      settings: { languages },
    });
    const answers: Answer[] = [];
    for (const each of gets([...READ, ...SIMILAR.flatMap(readWith)]))
      answers.push(await ask(site.handle, {}, each));
    await site.close();
    expect(tellTales(answers, CANARIES.anonymous!)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(50);
  });
});
