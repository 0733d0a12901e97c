import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../integration/core/access/actor.ts';
import type { Roles } from '../../integration/core/access/role.ts';
import type { UntypedContentApi } from '../../integration/core/builder/index.ts';
import { bodyText, type Entity } from '../../integration/core/content/model.ts';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { decimal, defineSchema, reference, z } from '../../integration/schema.ts';
import { runs } from '../oracle/runs.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { fetchFrom } from '../support/request.ts';
import { adminApp, openRuntime } from '../support/services.ts';
import {
  facetRequest,
  NOW,
  ONLOOKERS,
  type Onlooker,
  request,
  type Values,
  values,
  worlds,
} from '../support/unseen-worlds.ts';

const SCHEMA = defineSchema({
  story: {
    author: reference('person').nullish(),
    day: z.iso.date().nullish(),
    kit: z.array(z.object({ item: z.string().nullish(), weight: z.int().nullish() })).default([]),
    price: decimal().nullish(),
    publish_on: z.iso.datetime({ offset: true }).nullish(),
    rating: z.int().nullish(),
    subjects: z.array(reference(['person', 'story'])).default([]),
    words: z.array(z.string()).default([]),
  },
  person: { boss: reference('person').nullish(), rating: z.int().nullish() },
});

/** May change everything. */
const EDITOR: Actor = { name: 'ann', roles: ['chief'] };
const CHIEF = { permissions: [{ actions: ['view', 'create', 'update', 'delete'], bundles: '*' }] } as const;

interface OpenedSite {
  readonly handle: Handler;
  readonly content: UntypedContentApi;
}

async function open(entities: readonly Entity[], { roles }: Pick<Onlooker, 'roles'>): Promise<OpenedSite> {
  const { services, content } = await openRuntime(
    createMemoryDriver(Object.fromEntries(entities.map(fileOf))),
    SCHEMA,
    {
      roles: { ...roles, chief: CHIEF } as Roles,
      writable: {},
      now: () => NOW,
      settings: { admin: true, explorer: true, pageSize: { default: 5, max: 5, unlimited: true } },
    },
  );
  return { handle: createHandler(services, { adminApp }), content };
}

/** The Markdown file of an entity. An address has one entity only, so the files leave it out. */
function fileOf({ type, id, values, body, published }: Entity): readonly [string, string] {
  const { path: _, status: __, ...rest } = values;
  const known = SCHEMA[type.replace('node--', '') as keyof typeof SCHEMA];
  const own = Object.entries(rest).filter(([name]) => name in known || BASE.includes(name));
  const data = JSON.stringify({ ...Object.fromEntries(own), status: published });
  return [`${type.replace('node--', '')}/${id}.md`, `---\n${data}\n---\n${body ? bodyText(body) : ''}`];
}

const BASE = ['title', 'created', 'changed', 'uid'];

/** What an editor does in a preview: a change of an entity of the site, or of one that it does not have, or a new one. */
interface Typed {
  readonly at: number;
  readonly op: 'update' | 'add' | 'remove' | 'unknown';
  readonly changed: Values;
}

function typed(): fc.Arbitrary<Typed> {
  return fc.record({
    at: fc.nat({ max: 60 }),
    op: fc.constantFrom('update', 'update', 'update', 'update', 'add', 'remove', 'unknown'),
    changed: values(),
  });
}

function operationOf({ at, op, changed }: Typed, entities: readonly Entity[]): object {
  const entity = entities[at % entities.length];
  const ref = { type: entity?.type ?? '', id: op === 'unknown' ? 'none' : (entity?.id ?? '') };
  if (op === 'remove') return { op, ref };
  const id = op === 'add' ? `new-${ref.id}` : ref.id;
  return { op: op === 'add' ? op : 'update', data: { ...ref, id, ...changeOf(ref.type, changed) } };
}

function changeOf(type: string, { body, title, rating, words, price, author, subjects }: Values) {
  const text = body === null ? {} : { body: { value: body } };
  if (type === 'node--person') return { attributes: { title, rating, status: true, ...text } };
  return {
    attributes: { title, rating, words, price, status: true, ...text },
    relationships: { author: { data: author }, subjects: { data: subjects } },
  };
}

interface OpenPreview {
  /** Resolves with the response, after `end`. */
  readonly response: Promise<string>;
  end(): void;
}

/**
 * Previews a page that runs all queries as visitors do, and then stays open until `end`. Resolves when the page has run them, or
 * when the preview was refused.
 */
async function preview(
  { handle, content }: OpenedSite,
  operations: readonly object[],
  paths: readonly string[],
  actor: Actor,
): Promise<OpenPreview> {
  const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const queries = paths.flatMap((path) =>
    path.startsWith('/jsonapi/node') ? path.slice('/jsonapi'.length) : [],
  );
  async function page(): Promise<Response> {
    const shown: unknown[] = [];
    for (const query of queries) shown.push(await content.jsonapi(query).catch(String));
    asked.resolve();
    await ended.promise;
    return new Response(JSON.stringify(shown), { headers: { 'content-type': 'text/html' } });
  }
  const sent = fetchFrom(handle, '/jsonapi/_preview?path=/', {
    actor,
    method: 'POST',
    headers: { 'content-type': ATOMIC_MEDIA_TYPE, origin: 'https://site.example' },
    body: { 'atomic:operations': operations },
    openPage: async () => page,
  });
  const response = sent.then((each) => each.text());
  await Promise.race([asked.promise, response]);
  return { response, end: ended.resolve };
}

/** What the API returns, and the query of a page. */
async function ask({ handle, content }: OpenedSite, path: string, actor: Actor): Promise<unknown> {
  const response = await fetchFrom(handle, path, { actor });
  const text = await response.text();
  const timeless = text.replace(/"(resolveMs|executeMs|totalMs)":[\d.e-]+/g, '"$1":0');
  expect(response.status).toBeLessThan(500);
  // The ETag of a response with durations varies with them.
  const etag = timeless === text && response.headers.get('etag');
  const page = path.startsWith('/jsonapi/node')
    ? await content.jsonapi(path.slice('/jsonapi'.length), { as: actor }).catch(String)
    : undefined;
  return { status: response.status, text: timeless, etag, page };
}

const LISTS = [
  'story',
  'person?sort=title',
  'story?sort=-rating&include=author,subjects',
  'person?facetBy[title]=',
].map((list) => `/jsonapi/node/${list}`);
const requests = () =>
  fc.array(fc.oneof({ weight: 3, arbitrary: request() }, { weight: 1, arbitrary: facetRequest() }), {
    minLength: 6,
    maxLength: 12,
  });

describe.each(ONLOOKERS)('previews that an editor opens, for %s', (_, onlooker) => {
  const seen = { contents: 0, pairs: 0, shown: 0 };
  afterAll(() => {
    console.log(
      `${seen.pairs} pairs of responses, ${seen.contents} pairs of contents, ${seen.shown} previews shown`,
    );
    // Otherwise, the trial has compared nothing.
    expect(seen.shown).toBeGreaterThan(0);
  });

  it('change no byte of any response, whatever else is hidden', () =>
    fc.assert(
      fc.asyncProperty(
        worlds(onlooker),
        requests(),
        fc.array(fc.array(typed(), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
        async ([first, second], some, changes) => {
          // Few random queries have results.
          const paths = some.flatMap((path, at) => [path, LISTS[at % LISTS.length] ?? '']);
          const [quiet, previewed] = await Promise.all([open(first, onlooker), open(second, onlooker)]);
          const opened: OpenPreview[] = [];
          for (const list of changes) {
            const operations = list.map((each) => operationOf(each, second));
            opened.push(await preview(previewed, operations, paths, EDITOR));
          }
          for (const [at, path] of paths.entries()) {
            if (at === paths.length >> 1) for (const { end } of opened) end();
            expect(await ask(previewed, path, onlooker.actor), path).toEqual(
              await ask(quiet, path, onlooker.actor),
            );
          }
          const shown = await Promise.all(opened.map(({ response }) => response));
          seen.contents += 1;
          seen.pairs += paths.length;
          seen.shown += shown.filter((text) => text.includes('"status":200')).length;
        },
      ),
      runs(10),
    ));
});
