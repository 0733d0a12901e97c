import type { Services } from '../../integration/core/api/request.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../integration/core/storage/driver.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import { defineSchema, image } from '../../integration/schema.ts';
import { createHandler } from './handler.ts';
import { png } from './pictures.ts';
import { createServices, type TestSite } from './services.ts';
import { temporaryFolder } from './temporary-folder.ts';

const ORIGIN = 'https://site.example';

/** A site on disk: even numbers are entities that anonymous users do not see, odd numbers do not exist. */
export interface UnseenSite {
  readonly services: Services;
  readonly handle: Handler;
}

export async function openUnseenSite(
  pairs: number,
  { wrap = (driver) => driver, cacheMb }: UnseenSiteOptions = {},
): Promise<UnseenSite> {
  const files: Record<string, string | Uint8Array> = {};
  for (let at = 0; at < pairs; at += 1) {
    const name = entityId(at, 'unseen');
    files[`article/seen-${name}.md`] = `---\ntitle: Seen ${name}\n---\nText.\n`;
    files[`article/${name}.md`] =
      `---\ntitle: Draft ${name}\nstatus: false\npicture: ./${name}.png\n---\nText.\n`;
    files[`article/${name}.png`] = png(1, 1);
    for (const kind of ['unseen', 'missing'] as const) {
      files[`page/${entityId(at, kind)}.md`] = `---\ntitle: Page\n---\nText.\n`;
    }
    files[`page/${name}.de.md`] = `---\ntitle: Seite\nstatus: false\n---\nText.\n`;
    files[`secret/${name}.md`] = `---\ntitle: Secret ${name}\n---\nText.\n`;
  }
  // A ledger, like on a site that has removed an entity.
  const gone = {
    type: 'node--article',
    id: 'gone',
    at: '2026-01-01T00:00:00.000Z',
    published: true,
    uid: null,
  };
  files['_gone.jsonl'] = `${JSON.stringify(gone)}\n`;
  const schema = defineSchema({ article: { picture: image().nullish() }, page: {}, secret: {} });
  const services = await createServices(wrap(createGitDriver(temporaryFolder(files))), schema, {
    writable: {},
    ...(cacheMb !== undefined && { cacheMb }),
    roles: {
      anonymous: { permissions: [{ actions: ['view'], bundles: ['article', 'page'], where: 'published' }] },
    },
    settings: { languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }) },
  });
  return { services, handle: createHandler(services) };
}

interface UnseenSiteOptions extends Pick<TestSite, 'cacheMb'> {
  readonly wrap?: (driver: WritableDriver) => WritableDriver;
}

export type Kind = 'unseen' | 'missing';

/** The id of the entity, of the same length for both kinds. */
export function entityId(at: number, kind: Kind): string {
  return `entity-${String(2 * at + (kind === 'unseen' ? 0 : 1)).padStart(6, '0')}`;
}

const FACETS = 'GET /jsonapi/node/article?facetBy';
const TRANSLATIONS = 'GET /jsonapi/node/page/<id>';
/** Requests whose responses are cached once they are repeated. */
export const CACHED: ReadonlySet<string> = new Set([FACETS, TRANSLATIONS]);

/** Requests with the same response for a missing and an unseen entity, or translation of a visible entity. */
export const REQUESTS: Readonly<Record<string, (name: string) => Request>> = {
  'GET /jsonapi/node/article/<id>': (name) => new Request(`${ORIGIN}/jsonapi/node/article/${name}`),
  'GET /jsonapi/node/article/<id>/picture': (name) =>
    new Request(`${ORIGIN}/jsonapi/node/article/${name}/picture`),
  'PATCH /jsonapi/node/article/<id>': (name) =>
    new Request(`${ORIGIN}/jsonapi/node/article/${name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'node--article', id: name, attributes: { title: 'New' } } }),
    }),
  [TRANSLATIONS]: (name) => new Request(`${ORIGIN}/jsonapi/node/page/${name}`),
  'GET /jsonapi/node/page/<id>?langCode=de': (name) =>
    new Request(`${ORIGIN}/jsonapi/node/page/${name}?langCode=de`),
  'GET /de/jsonapi/node/page/<id>': (name) => new Request(`${ORIGIN}/de/jsonapi/node/page/${name}`),
  'GET /jsonapi/node/secret/<id>': (name) => new Request(`${ORIGIN}/jsonapi/node/secret/${name}`),
  'GET /api/content/articles/<id>': (name) => new Request(`${ORIGIN}/api/content/articles/${name}`),
  [FACETS]: (name) =>
    new Request(
      `${ORIGIN}/jsonapi/node/article?filter[id]=${name}&facetBy[title]=&facetBy[id][operator]=or&facetBy[id][limit]=1`,
    ),
  'GET /router/translate-path': (name) =>
    new Request(`${ORIGIN}/router/translate-path?path=/node/article/${name}`),
  'GET /content-files/article/<file>': (name) => new Request(`${ORIGIN}/content-files/article/${name}.png`),
};
