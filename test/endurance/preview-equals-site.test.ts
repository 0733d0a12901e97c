import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import { emptySite, REPOSITORY, type Served, type Site, serveDev } from '../astro/site.ts';
import { eventually } from '../support/eventually.ts';
import { random } from '../support/random.ts';

/** Each preview is compared with the site after the same change was saved. */
const { PREVIEWS = '200' } = process.env;
const PAGES = ['/', '/de/', '/tags', '/people', '/shore', '/search', '/de/shore'];

let site: Site;
let server: Served;
let headers: Readonly<Record<string, string>>;

beforeAll(async () => {
  site = emptySite('preview-equals');
  for (const name of ['astro.config.mjs', 'content', 'public', 'src']) {
    cpSync(path.join(REPOSITORY, name), site.file(name), { recursive: true });
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

const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const send = async (at: string, operations: readonly object[]) =>
  fetch(`${server.origin}/jsonapi${at}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ 'atomic:operations': operations }),
  });

/** What differs between two requests of a dev server for the same page. */
const normalized = (html: string) => html.replaceAll(/\?t=\d+/g, '');

async function read(at: string) {
  const response = await fetch(server.origin + at);
  const { pathname, search } = new URL(response.url);
  return { url: pathname + search, status: response.status, html: normalized(await response.text()) };
}

interface Resource {
  readonly type: string;
  readonly id: string;
  readonly relationships: object;
  readonly attributes: Readonly<Record<string, unknown>> & { readonly path?: { readonly alias?: string } };
}

async function list(type: string): Promise<readonly Resource[]> {
  const response = await fetch(`${server.origin}/jsonapi/${type.replace('--', '/')}?page[limit]=50`);
  return (await response.json()).data;
}

/** A random change of an entity: its attributes and relationships. */
function changeOf(
  type: string,
  articles: readonly Resource[],
  tags: readonly Resource[],
  people: readonly Resource[],
) {
  const word = `Change ${Math.floor(random() * 1e6)}`;
  const reference = ({ type: of, id }: Resource) => ({ type: of, id });
  const title = { attributes: { title: word } };
  if (type !== 'node--article') return title;
  return pick([
    title,
    { attributes: { title: `${word} & <b>"quoted"</b> – ümläut` } },
    { attributes: { body: { value: `# ${word}\n\nSome *text* with [a link](/about).\n\n- one\n- two\n` } } },
    {
      attributes: {
        field_published: `20${10 + Math.floor(random() * 16)}-0${1 + Math.floor(random() * 9)}-11T10:00:00+00:00`,
      },
    },
    { attributes: { field_height: (random() * 90).toFixed(2), field_issue: 1 + Math.floor(random() * 9) } },
    { attributes: { path: { alias: `/journal/${word.toLowerCase().replace(' ', '-')}` } } },
    { attributes: { status: true, field_observed: '2025-02-03' } },
    { relationships: { field_author: { data: reference(pick(people)) } } },
    { relationships: { field_tags: { data: [...new Set([pick(tags), pick(tags)])].map(reference) } } },
    { relationships: { field_related: { data: [reference(pick(articles))] } } },
  ]);
}

/** The file of an entity, in any format. */
function fileOf(bundle: string, id: string): string {
  const [found] = globSync(`content/${bundle}/**/{${id}.*,${id}/index.*}`, { cwd: site.dir }).filter(
    (name) => !/\.de\.[a-z]+$/.test(name),
  );
  return found ?? '';
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

test('a preview is the page of the site after the change is saved', async () => {
  const [articles, tags, people] = await Promise.all([
    list('node--article'),
    list('node--tag'),
    list('node--person'),
  ]);
  const entities = [...articles, ...articles, ...articles, ...tags, ...people];
  const differing: string[] = [];
  let compared = 0;
  for (let at = 0; at < Number(PREVIEWS); at++) {
    const before = pick(entities);
    const { type, id, attributes } = before;
    const data = { type, id, ...changeOf(type, articles, tags, people) };
    const operations = [{ op: 'update', data }];
    const alias = attributes.path?.alias ?? '/';
    const pages = [undefined, pick(PAGES), pick(PAGES), pick(articles).attributes.path?.alias ?? '/', alias];
    const previews: { asked: string; url: string; status: number; html: string }[] = [];
    for (const page of pages) {
      const response = await send(
        page === undefined ? '/_preview' : `/_preview?path=${encodeURIComponent(page)}`,
        operations,
      );
      const { meta, errors } = await response.json();
      expect(errors, JSON.stringify(data)).toBeUndefined();
      const { url, status } = meta.page;
      const html = normalized(meta.page.html ?? meta.page.message);
      previews.push({ asked: page ?? url, url, status, html });
    }
    const file = site.file(fileOf(type.replace(/^.*--/, ''), id));
    const text = readFileSync(file, 'utf8');
    expect((await send('/operations', operations)).status, JSON.stringify(data)).toBe(200);
    for (const { asked, ...shown } of previews) {
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
