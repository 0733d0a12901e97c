import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Actor, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { runs } from '../../oracle/runs.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const ROOT: Actor = { name: 'root', roles: ['administrator'] };
const IDS = ['a', 'b', 'c'];
const ADDRESSES = ['/1', '/2', '/3', '/4'];

interface Step {
  readonly id: string;
  readonly address: string | null;
  readonly isPublished: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    id: fc.constantFrom(...IDS),
    address: fc.constantFrom(...ADDRESSES, null),
    isPublished: fc.boolean(),
  }),
  { minLength: 1, maxLength: 15 },
);

test('after any changes, an old address leads to the entry that had it last, and an address that is used leads nowhere', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const driver = createMemoryDriver(
        Object.fromEntries(IDS.map((id) => [`article/${id}.md`, `---\ntitle: ${id}\nstatus: false\n---\n`])),
      );
      const services = await createServices(driver, undefined, { writable: { options: {} } });
      const handle = createHandler(services);
      const present = new Map<string, Step>();
      /** The entry that was the last to be seen at an address. */
      const last = new Map<string, string>();
      for (const step of all) {
        const { id, address, isPublished } = step;
        const attributes = { path: { alias: address }, status: isPublished };
        const body = { data: { type: 'node--article', id, attributes } };
        const { status } = await ask(handle, 'PATCH', `/jsonapi/node/article/${id}`, { actor: ROOT, body });
        expect([200, 409]).toContain(status);
        if (status === 409) continue;
        const before = present.get(id);
        if (before?.isPublished && before.address !== null && before.address !== address) {
          last.set(before.address, id);
        }
        present.set(id, step);
        if (isPublished && address !== null) last.delete(address);
        for (const old of ADDRESSES) {
          const url = `http://localhost/_redirect?path=${old}`;
          const response = await handle(new Request(url), { actor: ANONYMOUS });
          const target = present.get(last.get(old) ?? '');
          const expected = target?.isPublished ? (target.address ?? `/node/article/${target.id}`) : undefined;
          const found = response?.status === 301 ? response.headers.get('location') : undefined;
          expect([old, found]).toEqual([old, expected]);
        }
      }
    }),
    runs(60),
  );
});
