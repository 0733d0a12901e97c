import { beforeAll, describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Services } from '../../integration/core/api/request.ts';
import type {
  DataDocument,
  ErrorDocument,
  ResourceObject,
} from '../../integration/core/read/document-types.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler } from '../support/handler.ts';
import { expectJsonApi } from '../support/json-schema.ts';
import { basic, createTestAuth, type TestAuth } from '../unit/accounts/test-auth.ts';
import { ACTORS } from './actors.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import { loadRecordedContent, type ReadCase, readCases, shortId } from './load.ts';

let services: Services;
let handle: Handler;
let auth: TestAuth;
beforeAll(async () => {
  auth = createTestAuth();
  services = await loadRecordedContent();
  handle = createHandler(services, { auth });
});

const all = readCases();
/** The recorded actor with a wrong password. */
const WRONG_PASSWORD = 'badpass';

describe("reads with Drupal's response", () => {
  it.each(all.filter(({ id }) => DIFFERENCES[id] === undefined))('$id', async (recorded) => {
    await expectAnswer(recorded.path, recorded, expectedOf(recorded));
  });
});

describe('reads with a deliberate difference', () => {
  const differing = all.flatMap((recorded) => {
    const difference = DIFFERENCES[recorded.id];
    return difference === undefined ? [] : [{ ...recorded, difference, why: difference.reason }];
  });

  it.each(differing)('$id: $why', async ({ difference, ...recorded }) => {
    await expectAnswer(difference.path ?? recorded.path, recorded, changed(recorded, difference));
  });

  it('are recorded cases, in the number that docs/differences-from-drupal.md states', () => {
    const ids = new Set(all.map(({ id }) => id));
    expect(Object.keys(DIFFERENCES).filter((id) => !ids.has(id))).toEqual([]);
    const crashes = all.filter(({ crash }) => crash === true);
    expect({
      reads: all.length - crashes.length,
      differ: Object.keys(DIFFERENCES).length,
      crashes: crashes.length,
    }).toEqual({
      reads: 788,
      differ: 70,
      crashes: 32,
    });
  });
});

describe('the recorded editor', () => {
  const editor = ACTORS.editor ?? ANONYMOUS;
  const article = (id: string) => {
    const entity = services.store.entities('node--article').find((each) => shortId(each.id) === id);
    if (entity === undefined) throw new Error(`The article ${id} does not exist.`);
    return entity;
  };

  it('may change all articles but no persons, and other accounts may change nothing', () => {
    const person = services.store.entities('node--person')[0];
    if (person === undefined) throw new Error('There are no persons.');
    for (const action of ['create', 'update', 'delete'] as const) {
      const may = (actor: Actor, entity = article('a1')) => services.access(actor).allows(action, entity);
      expect([may(editor), may(editor, person), may(ANONYMOUS), may(ADMINISTRATOR)]).toEqual([
        true,
        false,
        false,
        true,
      ]);
    }
  });

  // Drupal answers 403 with the pointer of the field.
  it.each(['status', 'created', 'uid'])(
    'may not set fields that only administrators may set: %s',
    (field) => {
      const type = services.store.types.get('node--article');
      if (type === undefined) throw new Error('There are no articles.');
      for (const action of ['create', 'update'] as const) {
        expect(services.access(editor).fieldWritable(type, field, action)).toBe(false);
        expect(services.access(editor).fieldWritable(type, 'title', action)).toBe(true);
        expect(services.access(ADMINISTRATOR).fieldWritable(type, field, action)).toBe(true);
      }
    },
  );

  it('sees unpublished articles of their own only', () => {
    const { values, ...unpublished } = article('a7');
    const owned = (uid: string) => ({ ...unpublished, values: { ...values, uid } });
    expect(services.access(editor).allows('view', owned('admin'))).toBe(false);
    expect(services.access(editor).allows('view', owned('editor'))).toBe(true);
    expect(services.access(editor).allows('view', owned('Editor'))).toBe(false);
  });
});

async function expectAnswer(path: string, recorded: ReadCase, expected: Expected): Promise<void> {
  const { as, method = 'GET', headers = {} } = recorded;
  const request = new Request(`https://site.example${path}`, { method, headers });
  if (as === WRONG_PASSWORD) request.headers.set('authorization', basic('editor', 'wrong'));
  const response = await handle(request, { actor: ACTORS[as] ?? ANONYMOUS });
  const text = (await response?.text()) ?? '';
  expect(response?.status, text.slice(0, 500)).toBe(expected.status);
  if (expected.status === 204) {
    expect(text).toBe('');
    return;
  }
  expect(response?.headers.get('content-type')).toBe('application/vnd.api+json');
  if (expected.status === 405) expect(response?.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  if (method === 'HEAD') {
    expect(text).toBe('');
    return;
  }
  if (expected.status !== 200) {
    const { errors }: ErrorDocument = JSON.parse(text);
    expectJsonApi(JSON.parse(text), path);
    const [error] = errors;
    expect(error?.status).toBe(String(expected.status));
    if (expected.parameter !== undefined) expect(error?.source).toEqual({ parameter: expected.parameter });
    // Our own member: an error names its parameter.
    if (expected.status === 400) expect(error?.source?.parameter).toEqual(expect.any(String));
    return;
  }
  const document: DataDocument<readonly ResourceObject[]> = JSON.parse(text);
  expectJsonApi(document, path);
  if (method === 'OPTIONS') {
    expect(response?.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(document.meta).toHaveProperty('allow', ['GET', 'HEAD', 'OPTIONS']);
    return;
  }
  if (expected.ids !== undefined) {
    expect(shortIds([document.data].flat().filter((item) => item !== null))).toEqual(expected.ids);
  }
  if (expected.included !== undefined) expect(shortIds(document.included)).toEqual(expected.included);
  if (expected.links !== undefined) expect(Object.keys(document.links).sort()).toEqual(expected.links);
  if (expected.omitted !== undefined) expect(omittedIds(document)).toEqual(expected.omitted);
}

/**
 * Drupal's response with the links that Drupal lacks: `last` if there is a next page, and `describedby` on
 * collections and resources.
 */
function expectedOf({ path, status, ids, included, links, omitted = [] }: ReadCase): Expected {
  const last = links?.includes('next') ? ['last'] : [];
  const described = /^(\/[^/?]+){3,5}\/?(\?|$)/.test(path) ? ['describedby'] : [];
  return { status, ids, included, links: links && [...links, ...last, ...described].sort(), omitted };
}

function changed(recorded: ReadCase, difference: Difference): Expected {
  const {
    status = 200,
    parameter,
    ids,
    more = [],
    less = [],
    included,
    omitted = [],
    page,
    path,
    links,
  } = difference;
  const before = expectedOf(recorded);
  if (status !== 200) return { status, parameter };
  if (path !== undefined) return before;
  const everything = page && publishedArticles();
  const pageIds = everything?.slice(page?.[0], page && page[0] + page[1]);
  const common = recorded.ids?.filter((id) => !less.includes(id));
  return {
    status,
    ids: ids ?? pageIds ?? (more.length === 0 ? common : [...(common ?? []), ...more].sort(byNumber)),
    included: included ?? recorded.included,
    // An error does not have the links of a page.
    links:
      recorded.status === 200
        ? (links?.toSorted() ??
          pagerLinks(ids?.length === 0 ? [0, 1] : page, everything?.length) ??
          before.links)
        : undefined,
    omitted: [...omitted],
  };
}

/** The links of a page among `count` entities. */
function pagerLinks(page: Difference['page'], count = 0): string[] | undefined {
  if (page === undefined) return undefined;
  const [offset, limit] = page;
  const back = offset > 0 ? ['first', 'prev'] : [];
  const on = offset + limit < count ? ['last', 'next'] : [];
  return ['describedby', 'self', ...back, ...on].sort();
}

function publishedArticles(): string[] {
  return services.store
    .entities('node--article')
    .filter(({ published }) => published)
    .map(({ id }) => shortId(id));
}

function omittedIds(document: DataDocument): string[] {
  const links = Object.entries(document.meta?.omitted?.links ?? {}).filter(([name]) => name !== 'help');
  return links.map(([, { href }]) => shortId(href.slice(href.lastIndexOf('/') + 1))).sort();
}

function shortIds(resources: readonly { readonly id: string }[] = []): string[] {
  return resources.map(({ id }) => shortId(id));
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

interface Expected {
  readonly status: number;
  readonly parameter?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly included?: readonly string[] | undefined;
  /** Names, sorted. */
  readonly links?: readonly string[] | undefined;
  readonly omitted?: readonly string[] | undefined;
}
