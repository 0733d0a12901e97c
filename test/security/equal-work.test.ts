import { beforeAll, expect, it } from 'vitest';
import { entityId, type Kind, openUnseenSite, REQUESTS, type UnseenSite } from '../support/unseen-site.ts';

/** Storage calls in order. */
const calls: string[] = [];
let site: UnseenSite;
beforeAll(async () => {
  site = await openUnseenSite(3, {
    wrap: (driver) => ({
      ...driver,
      stat(key) {
        calls.push(`stat ${key}`);
        return driver.stat(key);
      },
      read(key) {
        calls.push(`read ${key}`);
        return driver.read(key);
      },
    }),
  });
});

it.each(Object.entries(REQUESTS))(
  '%s reads the same files for an unseen and a missing entity',
  async (_, make) => {
    const ask = async (kind: Kind) => {
      calls.length = 0;
      const name = entityId(1, kind);
      const response = await site.handle(make(name));
      const text = (await response?.text())?.replaceAll(name, '<id>');
      return { status: response?.status, text, calls: [...calls] };
    };
    // The ledger is read once; later requests only check for changes.
    await ask('missing');
    expect(await ask('unseen')).toEqual(await ask('missing'));
  },
);
