import { setImmediate as settled } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../../../integration/access/actor.ts';
import type { OverlayError } from '../../../../integration/astro/dev/page-clients.ts';
import { createPageClients, type DevClient } from '../../../../integration/astro/dev/page-clients.ts';
import { createPageQueries } from '../../../../integration/astro/dev/page-queries.ts';

const FAULT: OverlayError = { name: 'E', title: 'T', message: 'M', stack: 'S', plugin: 'astro-jsonapi' };

function devServer() {
  const state: { version: number; answer: string; fault: OverlayError | undefined } = {
    version: 1,
    answer: 'one',
    fault: undefined,
  };
  const clients = new Set<DevClient>();
  const listeners = new Map<string, (data: unknown, client: DevClient) => void>();
  const queries = createPageQueries(() => state.version);
  const pages = createPageClients({
    socket: { clients, on: (event, listener) => listeners.set(event, listener) },
    queries,
    uses: () => () => false,
    fault: () => state.fault,
  });
  const render = (url: string, asks: boolean) =>
    queries.answering(url, undefined, async () => {
      const query = { code: url, path: url, actor: ANONYMOUS };
      if (asks) await queries.observe(query, async () => state.answer);
    });
  /** A browser that tells its address, unless it shows what is no page of the site. */
  async function connect(url?: string) {
    const told: unknown[] = [];
    const client: DevClient = { send: (payload: unknown) => void told.push(payload) };
    clients.add(client);
    if (url !== undefined) listeners.get('astro-jsonapi:page')?.({ url }, client);
    await settled();
    const leave = () => {
      clients.delete(client);
      listeners.get('vite:client:disconnect')?.(undefined, client);
    };
    return { told, leave };
  }
  return { state, pages, render, connect };
}

const RELOAD = { type: 'full-reload' };

describe('open pages', () => {
  it('reload where their answers are others, or where it is not known what they asked', async () => {
    const { state, pages, render, connect } = devServer();
    await render('/asks', true);
    await render('/bare', false);
    const browsers = [
      await connect('/asks'),
      await connect('/asks'),
      await connect('/bare'),
      await connect('/new'),
    ];
    const stranger = await connect();
    state.version += 1;
    state.answer = 'other';
    pages.update();
    await settled();
    expect(browsers.map(({ told }) => told)).toEqual([
      [RELOAD],
      [RELOAD],
      ['astro-jsonapi:changed'],
      [RELOAD],
    ]);
    expect(stranger.told).toEqual([RELOAD]);
  });

  it('reload when content changed between their answer and their coming', async () => {
    const { state, render, connect } = devServer();
    await render('/asks', true);
    state.version += 1;
    state.answer = 'other';
    expect((await connect('/asks')).told).toEqual([RELOAD]);
  });

  it('reload all where all may be another', async () => {
    const { pages, render, connect } = devServer();
    await render('/bare', false);
    const { told } = await connect('/bare');
    pages.update(true);
    await settled();
    expect(told).toEqual([RELOAD]);
  });

  it('show what is wrong, also those that come later, until it is mended', async () => {
    const { state, pages, render, connect } = devServer();
    await render('/bare', false);
    const early = await connect('/bare');
    state.fault = FAULT;
    pages.showFault();
    const late = await connect('/bare');
    state.fault = undefined;
    pages.showFault();
    const error = { type: 'error', err: FAULT };
    expect([early.told, late.told]).toEqual([
      [error, 'astro-jsonapi:mended'],
      [error, 'astro-jsonapi:mended'],
    ]);
  });

  it('are told of a page that fails over its content, and when it is answered again', async () => {
    const { pages, render, connect } = devServer();
    await render('/bare', false);
    const { told } = await connect('/bare');
    await render('/asks', true);
    pages.answered('/asks', 500);
    pages.answered('/asks', 200);
    pages.answered('/asks', 200);
    // Not of one that never asked.
    pages.answered('/bare', 500);
    expect(told).toEqual(['astro-jsonapi:failed', 'astro-jsonapi:recovered']);
  });

  it('are told that it may be answered again when its content is another, and what is wrong then', async () => {
    const { state, pages, render, connect } = devServer();
    await render('/bare', false);
    await render('/asks', true);
    const { told } = await connect('/bare');
    pages.answered('/asks', 500);
    state.version += 1;
    pages.update();
    await settled();
    state.version += 1;
    state.answer = 'other';
    state.fault = FAULT;
    pages.update();
    await settled();
    expect(told).toEqual([
      'astro-jsonapi:failed',
      'astro-jsonapi:changed',
      'astro-jsonapi:changed',
      'astro-jsonapi:recovered',
      { type: 'error', err: FAULT },
    ]);
  });

  it('are told nothing when they are closed', async () => {
    const { pages, connect } = devServer();
    const { told, leave } = await connect('/bare');
    leave();
    pages.update();
    await settled();
    expect(told).toEqual([]);
  });
});
