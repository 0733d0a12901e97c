import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../../../integration/access/actor.ts';
import { createPageQueries, MAX_REMEMBERED } from '../../../../integration/astro/dev/page-queries.ts';

const NONE = () => false;

function content() {
  const state = { version: 1, answers: { a: ['one'], b: ['two'] } as Record<string, unknown>, asked: 0 };
  const queries = createPageQueries(() => state.version);
  const ask = (code: string) =>
    queries.observe({ code, path: `/node/${code}`, actor: ANONYMOUS }, async () => {
      state.asked += 1;
      if (state.answers[code] instanceof Error) throw state.answers[code];
      return state.answers[code];
    });
  const render = (url: string, codes: readonly string[], from?: string) =>
    queries.answering(url, from, async () => {
      for (const code of codes) await ask(code).catch(() => undefined);
    });
  const changed = async (...urls: readonly string[]) =>
    [...(await queries.changed(new Map(urls.map((url) => [url, NONE]))))].sort();
  return { state, queries, render, changed };
}

describe('what pages asked', () => {
  it('has changed where an answer is another one', async () => {
    const { state, render, changed } = content();
    await render('/a', ['a']);
    await render('/b', ['b']);
    await render('/both', ['a', 'b']);
    state.version += 1;
    state.answers.a = ['other'];
    expect(await changed('/a', '/b', '/both')).toEqual(['/a', '/both']);
    expect(await changed('/a', '/b', '/both')).toEqual([]);
  });

  it('is not asked again while the content is the same', async () => {
    const { state, render, changed } = content();
    await render('/a', ['a']);
    state.answers.a = ['other'];
    expect(await changed('/a')).toEqual([]);
    expect(state.asked).toBe(1);
  });

  it('counts a query that fails as an answer', async () => {
    const { state, render, changed } = content();
    state.answers.a = new Error('There is no bundle');
    await render('/a', ['a']);
    state.version += 1;
    expect(await changed('/a')).toEqual([]);
    state.version += 1;
    state.answers.a = ['there'];
    expect(await changed('/a')).toEqual(['/a']);
  });

  it('includes what scripts and islands of the page ask', async () => {
    const { state, render, changed } = content();
    await render('/page', []);
    await render('/island', ['a'], '/page');
    state.version += 1;
    state.answers.a = ['other'];
    expect(await changed('/page')).toEqual(['/page']);
  });

  it('is what it asked last', async () => {
    const { queries, render } = content();
    await render('/a', ['a', 'a', 'b']);
    expect(queries.of('/a', NONE)?.map(({ code }) => code)).toEqual(['a', 'b']);
    await render('/a', ['b']);
    expect(queries.of('/a', NONE)?.map(({ code, count }) => [code, count])).toEqual([['b', 1]]);
    expect(queries.of('/never', NONE)).toBeUndefined();
  });

  it('is remembered of a number of pages', async () => {
    const { queries, render } = content();
    for (let page = 0; page <= MAX_REMEMBERED; page++) await render(`/${page}`, []);
    expect(queries.of('/0', NONE)).toBeUndefined();
    expect(queries.of('/1', NONE)).toEqual([]);
    queries.forget();
    expect(queries.of('/1', NONE)).toBeUndefined();
  });
});
