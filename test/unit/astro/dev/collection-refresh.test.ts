import { describe, expect, it } from 'vitest';
import { createCollectionRefresh } from '../../../../integration/astro/dev/collection-refresh.ts';
import { NOT_YET } from '../../../../integration/astro/runtime-registry.ts';

/** A content layer with two collections that handles each refresh request as given. */
function contentLayer(answers: readonly ('run' | 'passed over' | 'changed meanwhile')[]) {
  const filled = new Map([
    ['article', 1],
    ['people', 1],
  ]);
  const state = { version: 2, asked: 0, refreshed: 0, collections: ['article', 'people'] };
  const refresh = createCollectionRefresh({
    filled,
    version: () => state.version,
    async refresh() {
      const answer = answers[state.asked++] ?? 'run';
      if (answer === 'passed over') return;
      const { version } = state;
      for (const name of state.collections) filled.set(name, version);
      if (answer === 'changed meanwhile') state.version++;
    },
    onFilled: () => state.refreshed++,
  });
  return { filled, state, refresh };
}

describe('collections of the content layer in dev', () => {
  it.each([
    { name: 'are filled', answers: ['run'], asked: 1, version: 2 },
    {
      name: 'are refreshed again if Astro ignores a request while it reads its content config',
      answers: ['passed over', 'passed over', 'run'],
      asked: 3,
      version: 2,
    },
    {
      name: 'are refreshed again if the content changes in between',
      answers: ['changed meanwhile', 'run'],
      asked: 2,
      version: 3,
    },
  ] as const)('$name', async ({ answers, asked, version }) => {
    const { filled, state, refresh } = contentLayer(answers);
    await refresh();
    expect(state).toMatchObject({ asked, refreshed: 1 });
    expect([...filled]).toEqual([
      ['article', version],
      ['people', version],
    ]);
  });

  it('are refreshed once for several changes', async () => {
    const { state, refresh } = contentLayer(['passed over', 'run']);
    await Promise.all([refresh(), refresh(), refresh()]);
    expect(state).toMatchObject({ asked: 2, refreshed: 1 });
  });

  it('are no longer awaited after they leave the content config', async () => {
    const { filled, state, refresh } = contentLayer([]);
    state.collections = ['article'];
    await refresh();
    expect([...filled]).toEqual([['article', 2]]);
    expect(state.asked).toBe(1);
  });

  it('are not refreshed on a site without collections', async () => {
    const { filled, state, refresh } = contentLayer([]);
    filled.clear();
    await refresh();
    expect(state.asked).toBe(0);
  });

  it('are refreshed after their first load if the content has changed since', async () => {
    const { filled, state, refresh } = contentLayer([]);
    filled.clear();
    filled.set('article', NOT_YET);
    await refresh();
    expect(state.asked).toBe(1);
    expect(filled.get('article')).toBe(2);
  });

  it('do not block page reloads while the content config is broken', {
    timeout: 10_000,
  }, async () => {
    const { state, refresh } = contentLayer(Array.from({ length: 1000 }, () => 'passed over' as const));
    await refresh();
    expect(state.refreshed).toBe(0);
    expect(state.asked).toBeLessThan(12);
  });
});
