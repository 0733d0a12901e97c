import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lookup } from 'mrmime';
import type { Services } from '../../integration/core/api/request.ts';
import type { Entity } from '../../integration/core/content/model.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import type { ApiSettings } from '../../integration/core/read/settings.ts';
import { type AdminPageOptions, adminFiles, adminPage } from '../../integration/features/admin/admin-page.ts';
import { STRICT_POLICY } from '../astro/site.ts';
import { createTestSnapshot } from '../snapshot/snapshot.ts';
import { createHandler } from '../support/handler.ts';
import { createReadServices, staticFiles } from '../support/services.ts';
import { bundle, entity, field } from '../unit/api/jsonapi/magazine.ts';

export interface ExampleSite {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  readonly origin: string;
  /** The files of a static site. */
  readonly files?: Map<string, Uint8Array> | undefined;
  close(): Promise<void>;
}

/** The explorer with a small magazine, on the real handler or on the files of a static site, with or without a snapshot. */
export async function startExampleSite(
  mode: Mode,
  base = '',
  more: Partial<ApiSettings> = {},
): Promise<ExampleSite> {
  const services = exampleServices({ base, ...more });
  const handler = createHandler(services);
  const page = mode === 'server' ? adminPage({ base, mode }) : adminFiles({ base, mode }).get('index.html');
  const files = mode === 'server' ? undefined : await exampleFiles(services, base, mode);
  const answer = async (url: URL): Promise<Response | undefined> => {
    if (url.pathname === `${base}/jsonapi-explorer`) {
      return new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    }
    if (files === undefined) return handler(new Request(url));
    const body = files.get(decodeURIComponent(url.pathname).slice(base.length + 1));
    const type = lookup(url.pathname) ?? 'application/json';
    return body && new Response(new Uint8Array(body), { headers: { 'content-type': type } });
  };
  const server = createServer(async (request, response) => {
    const answered = await answer(new URL(request.url ?? '/', origin));
    response.writeHead(answered?.status ?? 404, {
      ...Object.fromEntries(answered?.headers ?? []),
      ...(files && STRICT_POLICY),
    });
    response.end(answered === undefined ? 'Not found' : Buffer.from(await answered.arrayBuffer()));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    files,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

type Mode = AdminPageOptions['mode'];

async function exampleFiles(services: Services, base: string, mode: Mode): Promise<Map<string, Uint8Array>> {
  const documents = await staticFiles(services);
  const explorer = [...adminFiles({ base, mode })].map(
    ([name, text]) => [`jsonapi-explorer/${name}`, text] as const,
  );
  const files = new Map([...documents, ...explorer].map(([name, text]) => [name, Buffer.from(text)]));
  if (mode === 'files') return files;
  const { files: snapshot } = await createTestSnapshot(services);
  return new Map([
    ...files,
    ...[...snapshot].map(([name, bytes]) => [`jsonapi/snapshot/${name}`, bytes] as const),
  ]);
}

function exampleServices(more: Partial<ApiSettings>): Services {
  const store = createEntityStore({ locale: 'en' });
  store.load(TYPES, [...PEOPLE, ...TAGS, ...articles()]);
  return createReadServices(store, {
    renderBody: async () => '<p>Text.</p>',
    search: { boost: { article: { field: 'field_day', halfLifeDays: 180 } } },
    settings: {
      ...more,
      staticQueries: {
        latest: '/node/article?sort=-field_day&page[limit]=5',
        'by-ada': '/node/article?filter[field_author.title]=Ada%20Lovelace',
      },
      explorer: true,
    },
  });
}

const TYPES = [
  bundle('node--tag', []),
  bundle('node--article', [
    field('field_author', 'reference', { targets: ['node--person'] }),
    field('field_day', 'date'),
    field('field_featured', 'boolean'),
    field('field_price', 'decimal'),
    field('field_rating', 'integer'),
    field('field_tags', 'reference', { list: true, targets: ['node--tag'] }),
  ]),
  bundle('node--person', [
    field('field_boss', 'reference', { targets: ['node--person'] }),
    field('field_email', 'string'),
  ]),
];

const PEOPLE = [
  entity('node--person', 'ada', { title: 'Ada Lovelace', field_boss: null, field_email: 'ada@site.test' }),
  entity('node--person', 'grace', {
    title: 'Grace Hopper',
    field_boss: { type: 'node--person', id: 'ada' },
    field_email: 'grace@site.test',
  }),
];
const TAGS = ['Engines', 'Compilers', 'History'].map((title) =>
  entity('node--tag', title.toLowerCase(), { title }),
);

/** 60 articles, the last two unpublished; Ada wrote every second one. */
function articles(): readonly Entity[] {
  return Array.from({ length: 60 }, (_, index) =>
    entity(
      'node--article',
      `article-${String(index + 1).padStart(2, '0')}`,
      {
        title: `Article ${index + 1} <b>on</b> ${index % 3 === 0 ? 'engines' : 'compilers'}`,
        field_author: { type: 'node--person', id: index % 2 === 0 ? 'ada' : 'grace' },
        field_day: `2024-${String((index % 12) + 1).padStart(2, '0')}-15`,
        field_featured: index % 10 === 0,
        field_price: index % 4 === 0 ? null : `${index}.50`,
        field_rating: index % 7 === 0 ? null : index % 5,
        field_tags: TAGS.filter((_tag, at) => (index + at) % 3 !== 0).map(({ type: target, id }) => ({
          type: target,
          id,
        })),
      },
      { published: index < 58, body: 'About engines.' },
    ),
  );
}
