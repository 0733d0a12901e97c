import { expect, it } from 'vitest';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const KEY = 'article/moon.md';
const FILE = '---\ntitle: Moon\n---\nOld.\n';

/** Sends a PATCH of the title. An editor renames the file away at the first read, and saves it again after `ms`. */
async function patchWhileMissing(ms: number | null) {
  const memory = createMemoryDriver({ [KEY]: FILE });
  let isAway = false;
  let saved: Promise<unknown> | undefined;
  const driver: typeof memory = {
    ...memory,
    async read(key) {
      if (key !== KEY || !isAway) return memory.read(key);
      saved ??= (async () => {
        await memory.remove(KEY);
        if (ms === null) return;
        await new Promise((resolve) => setTimeout(resolve, ms));
        await memory.write(KEY, Buffer.from(FILE.replace('Old', 'New')));
      })();
      return memory.read(key);
    },
  };
  const services = await createServices(driver, undefined, { writable: {} });
  const handle = createHandler(services);
  isAway = true;
  const response = await fetchFrom(handle, '/api/content/articles/moon', {
    method: 'PATCH',
    body: { title: 'New moon' },
    actor: { name: 'ed', roles: ['editor'] },
  });
  await saved;
  return { status: response.status, file: Buffer.from((await memory.read(KEY)) ?? []).toString() };
}

it('a change waits for a file that an editor replaces, and keeps the text that the editor saved', async () => {
  expect(await patchWhileMissing(15)).toEqual({ status: 201, file: '---\ntitle: New moon\n---\nNew.\n' });
});

it('a change of a file that stays away is a 404', async () => {
  expect(await patchWhileMissing(null)).toEqual({ status: 404, file: '' });
});
