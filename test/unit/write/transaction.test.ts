import { expect, it } from 'vitest';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const KEY = 'article/moon.md';

/** Changes a file that an editor saves before each of the first reads; returns the response and the file. */
async function changeWhile(textOf: (save: number) => string, saves: number) {
  const memory = createMemoryDriver({ [KEY]: '---\ntitle: The moon\n---\nRises.\n' });
  let left = 0;
  const driver: typeof memory = {
    ...memory,
    async read(key) {
      if (key === KEY && left > 0) {
        left -= 1;
        await memory.write(KEY, Buffer.from(textOf(saves - left)));
      }
      return memory.read(key);
    },
  };
  const services = await createServices(driver, undefined, { writable: {} });
  const handle = createHandler(services);
  left = saves;
  const response = await fetchFrom(handle, '/api/content/articles/moon', {
    method: 'PATCH',
    body: { title: 'New moon' },
    actor: { name: 'ed', roles: ['editor'] },
  });
  const { error } = await response.json();
  return { status: response.status, error, file: Buffer.from((await memory.read(KEY)) ?? []).toString() };
}

const saved = (save: number) => `---\ntitle: The moon\n---\nSaved ${save} times.\n`;

it.each([1, 2, 3, 5, 8])(
  'a change applies to the latest version after %i concurrent saves',
  async (saves) => {
    expect(await changeWhile(saved, saves)).toMatchObject({
      status: 201,
      file: `---\ntitle: New moon\n---\nSaved ${saves} times.\n`,
    });
  },
);

it('constant saves of an editor cause a conflict and are preserved', async () => {
  const { status, error, file } = await changeWhile(saved, 1000);
  expect([status, error.detail]).toEqual([409, expect.stringContaining('keeps changing the file')]);
  expect(file).toMatch(/^---\ntitle: The moon\n---\nSaved \d+ times\.\n$/);
});

it('a file with errors causes a conflict and stays unchanged', async () => {
  const broken = '---\ntitle: [\n---\n';
  const { status, error, file } = await changeWhile(() => broken, 1);
  expect([status, error.detail, file]).toEqual([409, expect.stringContaining('has errors'), broken]);
});
