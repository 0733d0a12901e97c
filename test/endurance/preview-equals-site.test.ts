import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import { emptySite, REPOSITORY, type Served, type Site, serveDev } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { random } from '../support/random.ts';

/** Each preview is compared with the site after the same change was saved. */
const { PREVIEWS = '200' } = process.env;

interface Trial {
  /** What is copied, from the repository or from a starter. */
  readonly folder: string;
  readonly names: readonly string[];
  /** The main type, and the types that it refers to. */
  readonly main: string;
  readonly tags: string;
  readonly people?: string;
  /** Lists, and others that change with entries. */
  readonly pages: readonly string[];
  readonly previews: number;
  /** Makes a change of an entity of the main type, in addition to its title, text, address and tags. */
  readonly changes: (word: string, others: readonly Resource[]) => readonly object[];
}

const NAMES = ['astro.config.mjs', 'content', 'public', 'src'];
const day = () => `20${10 + below(16)}-0${1 + below(9)}-11`;

const TRIALS: Readonly<Record<string, Trial>> = {
  'the demo': {
    ...{ folder: '.', names: NAMES, previews: Number(PREVIEWS) },
    ...{ main: 'node--article', tags: 'node--tag', people: 'node--person' },
    pages: ['/', '/de/', '/tags', '/people', '/shore', '/search', '/de/shore'],
    changes: (_, others) => [
      { attributes: { field_published: `${day()}T10:00:00+00:00` } },
      { attributes: { field_height: (random() * 90).toFixed(2), field_issue: 1 + below(9) } },
      { attributes: { status: true, field_observed: '2025-02-03' } },
      { relationships: { field_cover: { data: pictureOf(others, 'field_cover') } } },
      { relationships: { field_related: { data: [reference(pick(others))] } } },
    ],
  },
  'the starter of a blog': {
    ...{ folder: 'starters/blog', names: NAMES, previews: Math.ceil(Number(PREVIEWS) / 4) },
    ...{ main: 'node--post', tags: 'node--tag', people: 'node--person' },
    pages: ['/', '/tags', '/tags/wood', '/tags/kitchen', '/search', '/rss.xml', '/rss.xml'],
    changes: (word, others) => [
      { attributes: { description: `${word}.` } },
      { attributes: { date: day() } },
      { relationships: { cover: { data: pictureOf(others, 'cover') } } },
    ],
  },
  'the starter of a static site': {
    ...{ folder: 'starters/static', names: NAMES, previews: Math.ceil(Number(PREVIEWS) / 4) },
    ...{ main: 'node--recipe', tags: 'node--tag' },
    pages: ['/', '/tags', '/tags/vegan', '/tags/baked', '/find'],
    changes: (word, others) => [
      { attributes: { description: `${word}.`, minutes: 1 + below(90) } },
      { attributes: { serves: 1 + below(9) } },
      { relationships: { cover: { data: pictureOf(others, 'cover') } } },
    ],
  },
};

function below(limit: number): number {
  return Math.floor(random() * limit);
}

function reference({ type, id }: Resource) {
  return { type, id };
}

/** The picture of one of the entities that have one. */
function pictureOf(resources: readonly Resource[], field: string): unknown {
  return pick(resources.flatMap(({ relationships }) => relationships[field]?.data ?? []));
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
/** What differs between two requests of a dev server for the same page. */
const normalized = (html: string) => html.replaceAll(/\?t=\d+/g, '');

interface Resource {
  readonly type: string;
  readonly id: string;
  readonly relationships: Readonly<Record<string, { readonly data?: object | null }>>;
  readonly attributes: Readonly<Record<string, unknown>> & { readonly path?: { readonly alias?: string } };
}

/** A random change of an entity: its attributes and relationships. */
function changeOf(
  { main, changes, tags: tagType, people: peopleType }: Trial,
  type: string,
  lists: Readonly<Record<string, readonly Resource[]>>,
) {
  const word = `Change ${below(1e6)}`;
  const title = { attributes: { title: word } };
  if (type !== main) return title;
  const [others = [], tags = [], people = []] = [lists[main], lists[tagType], lists[peopleType ?? '']];
  const prefix = main === 'node--article' ? 'field_' : '';
  const [base = ''] = /^\/[^/]*\//.exec(others[0]?.attributes.path?.alias ?? '') ?? [];
  return pick<object>([
    title,
    { attributes: { title: `${word} & <b>"quoted"</b> – ümläut` } },
    { attributes: { body: { value: `# ${word}\n\nSome *text* with [a link](/about).\n\n- one\n- two\n` } } },
    { attributes: { path: { alias: base + word.toLowerCase().replace(' ', '-') } } },
    { relationships: { [`${prefix}tags`]: { data: [...new Set([pick(tags), pick(tags)])].map(reference) } } },
    ...(people.length > 0
      ? [{ relationships: { [`${prefix}author`]: { data: reference(pick(people)) } } }]
      : []),
    ...changes(word, others),
  ]);
}

/** Without the dates of the file. */
function contentOf({ attributes: { changed: _, created: __, ...attributes }, relationships }: Resource) {
  return { attributes, relationships };
}

function firstDifference(preview: string, saved: string): string {
  const at = [...preview].findIndex((character, index) => character !== saved[index]);
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 100));
  return `${around(preview)} in the preview, ${around(saved)} on the site`;
}

describe.each(Object.entries(TRIALS))('a preview of %s', (_, trial) => {
  const { folder, names, main, tags, people, pages, previews } = trial;
  let site: Site;
  let server: Served;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    site = emptySite('preview-equals');
    for (const name of names.filter((each) => existsSync(path.join(REPOSITORY, folder, each)))) {
      cpSync(path.join(REPOSITORY, folder, name), site.file(name), { recursive: true });
    }
    const config = site.file('astro.config.mjs');
    const written = readFileSync(config, 'utf8');
    // The static starter has no admin.
    if (!written.includes('editing')) {
      writeFileSync(config, written.replace('jsonapi({', 'jsonapi({ editing: true,'));
    }
    server = await serveDev(site);
    const page = await fetch(`${server.origin}/admin`);
    const cookie = (page.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    headers = { cookie, origin: server.origin, 'content-type': ATOMIC_MEDIA_TYPE };
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  const send = async (at: string, operations: readonly object[]) =>
    fetch(`${server.origin}/jsonapi${at}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ 'atomic:operations': operations }),
    });

  async function read(at: string) {
    const response = await fetch(server.origin + at);
    const { pathname, search } = new URL(response.url);
    return { url: pathname + search, status: response.status, html: normalized(await response.text()) };
  }

  async function list(type: string): Promise<readonly Resource[]> {
    const response = await fetch(`${server.origin}/jsonapi/${type.replace('--', '/')}?page[limit]=50`);
    return (await response.json()).data;
  }

  /** The file of an entity, in any format. */
  function fileOf(bundle: string, id: string): string {
    const [found] = globSync(`content/${bundle}/**/{${id}.*,${id}/index.*}`, { cwd: site.dir }).filter(
      (name) => !/\.de\.[a-z]+$/.test(name),
    );
    return found ?? '';
  }

  test('is the page of the site after the change is saved', async () => {
    const types = [main, tags, people].filter((type) => type !== undefined);
    const lists = Object.fromEntries(
      await Promise.all(types.map(async (type) => [type, await list(type)] as const)),
    );
    const own = lists[main] ?? [];
    const entities = [...own, ...own, ...Object.values(lists).flat()];
    const differing: string[] = [];
    let compared = 0;
    for (let at = 0; at < previews; at++) {
      const before = pick(entities);
      const { type, id, attributes } = before;
      const data = { type, id, ...changeOf(trial, type, lists) };
      const operations = [{ op: 'update', data }];
      const alias = attributes.path?.alias ?? '/';
      // An entry without a page of its own has lists only.
      const first = attributes.path?.alias ? undefined : pick(pages);
      const asked = [first, pick(pages), pick(pages), pick(own).attributes.path?.alias ?? '/', alias];
      const shownPages: { asked: string; url: string; status: number; html: string }[] = [];
      for (const page of asked) {
        const response = await send(
          page === undefined ? '/_preview' : `/_preview?path=${encodeURIComponent(page)}`,
          operations,
        );
        const { meta, errors } = await response.json();
        expect(errors, JSON.stringify(data)).toBeUndefined();
        const { url, status } = meta.page;
        const html = normalized(meta.page.html ?? meta.page.text ?? meta.page.message);
        shownPages.push({ asked: page ?? url, url, status, html });
      }
      const file = site.file(fileOf(type.replace(/^.*--/, ''), id));
      const text = readFileSync(file, 'utf8');
      expect((await send('/operations', operations)).status, JSON.stringify(data)).toBe(200);
      for (const { asked, ...shown } of shownPages) {
        compared++;
        const saved = () => read(asked);
        await eventually(async () => expect(await saved()).toEqual(shown), {
          patienceMs: 5000,
        }).catch(async () => {
          const change = JSON.stringify(data);
          const { url, status, html } = shown;
          differing.push(
            `${asked} after ${change}: ${url} ${status} ${firstDifference(html, (await saved()).html)}`,
          );
        });
      }
      writeFileSync(file, text);
      // A redirect of an earlier change would hide one that the next preview must know by itself.
      rmSync(site.file('content/_redirects.yaml'), { force: true });
      const address = `${server.origin}/jsonapi/${type.replace('--', '/')}/${id}`;
      await eventually(async () => {
        const { data: restored } = await (await fetch(address)).json();
        expect(contentOf(restored)).toEqual(contentOf(before));
      });
    }
    console.log(`${compared} pages compared, ${differing.length} differ`);
    expect(differing).toEqual([]);
  });
});
