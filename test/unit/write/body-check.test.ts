import { describe, expect, it } from 'vitest';
import type { Services } from '../../../integration/core/api/request.ts';
import { bodyText } from '../../../integration/core/content/model.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const KEY = 'article/moon.md';
const FILE = '---\ntitle: Moon\n---\nOld.\n';
const encoder = new TextEncoder();
const EDITOR = { name: 'ed', roles: ['editor'] };

/** A site whose renderer calls `onRender` and returns `html`. */
async function openSite(onRender: (driver: WritableDriver) => unknown, html = '<p>x</p>') {
  const memory = createMemoryDriver({ [KEY]: FILE });
  let isLocked = false;
  const rendered: { text: string; isLocked: boolean }[] = [];
  const driver: typeof memory = {
    ...memory,
    exclusively: (work) =>
      memory.exclusively(async (changed) => {
        isLocked = true;
        try {
          return await work(changed);
        } finally {
          isLocked = false;
        }
      }),
  };
  const renderBody: Services['renderBody'] = async ({ body }) => {
    const text = body === null ? '' : bodyText(body);
    rendered.push({ text, isLocked });
    await onRender(memory);
    return html;
  };
  const services = await createServices(driver, undefined, { writable: {}, renderBody });
  const handle = createHandler(services);
  const patch = async (fields: object) => {
    rendered.length = 0;
    const response = await fetchFrom(handle, '/api/content/articles/moon?fields=title', {
      method: 'PATCH',
      body: fields,
      actor: EDITOR,
    });
    return { status: response.status, error: (await response.json())?.error };
  };
  const file = async () => new TextDecoder().decode(await memory.read(KEY));
  return { patch, file, rendered };
}

it('a new body renders once, while the write lock is free', async () => {
  const { patch, file, rendered } = await openSite(() => undefined);
  expect((await patch({ body: 'New.' })).status).toBe(201);
  expect(await file()).toBe('---\ntitle: Moon\n---\nNew.\n');
  expect(rendered).toEqual([{ text: 'New.', isLocked: false }]);
});

it('a file that an editor saves while the new body renders keeps the changes of the editor', async () => {
  let saves = 0;
  const { patch, file, rendered } = await openSite(async (driver) => {
    saves += 1;
    if (saves < 3) await driver.write(KEY, encoder.encode(`---\ntitle: Saved ${saves}\n---\nOld.\n`));
  });
  expect((await patch({ body: 'New.' })).status).toBe(201);
  expect(await file()).toBe('---\ntitle: Saved 2\n---\nNew.\n');
  // The last try does not depend on the editor.
  expect(rendered.map(({ isLocked }) => isLocked)).toEqual([false, false, true]);
});

describe('body.processed, sent back', () => {
  const CODE = '<pre><code>let x</code></pre>';
  const HIGHLIGHTED = '<pre class="shiki"><code><span style="color:#f00">let</span> x</code></pre>';

  it.each([
    ['as it was read', CODE, 201],
    ['as it was before the renderer loaded a grammar, which changes the markup only', HIGHLIGHTED, 201],
    ['with another text', CODE.replace('let', 'var'), 422],
    ['with more text', `${CODE}<p>more</p>`, 422],
    ['as null', null, 422],
  ])('%s', async (_, processed, expected) => {
    const { patch, file } = await openSite(() => undefined, CODE);
    const { status, error } = await patch({ body: { value: 'New.', processed } });
    expect(status).toBe(expected);
    expect(await file()).toContain(expected === 201 ? 'New.' : 'Old.');
    if (expected === 422) {
      expect(error).toMatchObject({
        detail: '`processed` is rendered from `value` and cannot be set: leave it out.',
        source: { pointer: '/body/processed' },
      });
    }
  });

  it('is not a change of its own: the file stays as it is', async () => {
    const { patch, file } = await openSite(() => undefined, CODE);
    expect((await patch({ body: { processed: HIGHLIGHTED } })).status).toBe(201);
    expect(await file()).toBe(FILE);
  });
});
