import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../../integration/core/engine/limits.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import { defineSchema, image } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png } from '../../support/pictures.ts';
import { fetchFrom } from '../../support/request.ts';
import { adminApp, createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({ article: { field_cover: image().nullish() } });
const PICTURE = new Uint8Array(png(2, 2));
const DAY = 24 * 3600;

let clock: number;
beforeEach(() => {
  clock = Date.parse('2026-01-01T00:00:00Z');
});

async function open(limits: Partial<Limits>): Promise<Handler> {
  const driver = createMemoryDriver({ 'article/moon.md': '---\ntitle: Moon\n---\nText.\n' });
  const services = await createServices(driver, SCHEMA, {
    writable: {},
    settings: { admin: true, limits: { ...DEFAULT_LIMITS, ...limits } },
    now: () => clock,
  });
  return createHandler(services, { adminApp });
}

async function send(handle: Handler, path: string, init: RequestInit, name = 'ed') {
  const actor = { name, roles: ['editor'] };
  const response = await fetchFrom(handle, path, { ...init, actor });
  const { status, headers } = response;
  const detail: unknown = status >= 400 ? (await response.json()).errors[0].detail : undefined;
  return { status, detail, retryAfter: headers.get('retry-after') };
}

const rename = (handle: Handler, title: string, name?: string) =>
  send(
    handle,
    '/jsonapi/node/article/moon',
    {
      method: 'PATCH',
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'node--article', id: 'moon', attributes: { title } } }),
    },
    name,
  );

const uploadTo = (handle: Handler, path: string, name?: string) =>
  send(
    handle,
    `/jsonapi/node/article/${path}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="moon.png"',
      },
      body: new Blob([PICTURE]),
    },
    name,
  );
const sendFile = (handle: Handler, method: string, path: string) =>
  send(handle, `/jsonapi/_files${path}`, {
    method,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': 'file; filename="moon.png"',
    },
    body: new Blob([PICTURE]),
  });
const uploadAlone = (handle: Handler, name?: string) => uploadTo(handle, 'field_cover', name);

describe('changes of an account', () => {
  it('are limited per minute and account', async () => {
    const handle = await open({ writesPerMinute: 3 });
    for (const title of ['a', 'b', 'c']) expect((await rename(handle, title)).status).toBe(200);
    expect(await rename(handle, 'd')).toEqual({
      status: 429,
      detail: 'An account may change content 3 times a minute (limits.writesPerMinute). Try again later.',
      retryAfter: '20',
    });
    expect((await rename(handle, 'e', 'other')).status).toBe(200);
    clock += 20_000;
    expect((await rename(handle, 'f')).status).toBe(200);
    expect((await rename(handle, 'g')).status).toBe(429);
  });

  it('count even if they are rejected for another reason', async () => {
    const handle = await open({ writesPerMinute: 1 });
    expect((await rename(handle, '')).status).toBe(422);
    expect((await rename(handle, 'a')).status).toBe(429);
  });

  it('may continue at fifty per second', async () => {
    const handle = await open({});
    for (let at = 0; at < 500; at += 1, clock += 20) {
      expect((await rename(handle, `Moon ${at}`)).status).toBe(200);
    }
    expect(DEFAULT_LIMITS.writesPerMinute).toBe(50 * 60);
  });
});

describe('uploads of an account', () => {
  it.each([
    ['stored', 'POST', '?beside=node--article'],
    ['replaced', 'PUT', '/content/article/moon.png'],
  ])('are limited in bytes per day if they are %s without an entity', async (_, method, path) => {
    const handle = await open({ uploadBytesPerDay: 2 * PICTURE.byteLength });
    expect((await sendFile(handle, 'POST', '?beside=node--article')).status).toBe(201);
    expect((await sendFile(handle, method, path)).status).toBeLessThan(300);
    expect(await sendFile(handle, method, path)).toMatchObject({
      status: 429,
      detail: 'An account may upload 66 bytes a day. Try again later.',
    });
  });

  it('are limited in number until an entity uses them', async () => {
    const handle = await open({ unusedUploads: 2 });
    for (const status of [201, 201, 429]) {
      expect((await sendFile(handle, 'POST', '?beside=node--article')).status).toBe(status);
    }
  });

  it('are limited in bytes per day', async () => {
    const handle = await open({ uploadBytesPerDay: 2 * PICTURE.byteLength });
    expect((await uploadTo(handle, 'moon/field_cover')).status).toBe(200);
    expect((await uploadAlone(handle)).status).toBe(201);
    expect(await uploadAlone(handle)).toEqual({
      status: 429,
      detail: `An account may upload ${2 * PICTURE.byteLength} bytes a day. Try again later.`,
      retryAfter: String(DAY / 2),
    });
    expect((await uploadAlone(handle, 'other')).status).toBe(201);
    clock += (DAY / 2) * 1000;
    expect((await uploadAlone(handle)).status).toBe(201);
  });

  it('do not count if they are not stored', async () => {
    const handle = await open({ uploadBytesPerDay: PICTURE.byteLength });
    const broken = {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="a.gif"',
      },
      body: new Blob([PICTURE]),
    };
    expect((await send(handle, '/jsonapi/node/article/field_cover', broken)).status).toBe(422);
    expect((await uploadAlone(handle)).status).toBe(201);
  });

  it('without an entity are limited until an entity names them or a day has passed', async () => {
    const handle = await open({ unusedUploads: 2 });
    expect((await uploadAlone(handle)).status).toBe(201);
    clock += 1000;
    expect((await uploadAlone(handle)).status).toBe(201);
    expect(await uploadAlone(handle)).toEqual({
      status: 429,
      detail: 'An account may upload 2 files a day that no entity names. Try again later.',
      retryAfter: String(DAY - 1),
    });
    const named = {
      method: 'PATCH',
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({
        data: { type: 'node--article', id: 'moon', attributes: { field_cover: { src: 'moon.png' } } },
      }),
    };
    expect((await send(handle, '/jsonapi/node/article/moon', named)).status).toBe(200);
    expect((await uploadAlone(handle)).status).toBe(201);
    expect((await uploadAlone(handle)).status).toBe(429);
    clock += DAY * 1000;
    expect((await uploadAlone(handle)).status).toBe(201);
  });

  it('count if a later upload replaces them in an entity', async () => {
    const handle = await open({ unusedUploads: 2 });
    for (const status of [200, 200, 200, 429])
      expect((await uploadTo(handle, 'moon/field_cover')).status).toBe(status);
  });
});

it('many changes of one account delay another account by one change at most', async () => {
  const handle = await open({});
  const order: string[] = [];
  const many = Array.from({ length: 20 }, (_, at) =>
    rename(handle, `Moon ${at}`, 'busy').then(() => order.push('busy')),
  );
  const one = rename(handle, 'Sun', 'quiet').then(() => order.push('quiet'));
  await Promise.all([...many, one]);
  expect(order.indexOf('quiet')).toBeLessThan(4);
});
