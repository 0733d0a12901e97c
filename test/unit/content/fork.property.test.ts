import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import {
  createEntityStore,
  type EntityStore,
  storeTarget,
} from '../../../integration/core/engine/store/entity-store.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createFileSource } from '../../../integration/core/storage/file-source.ts';
import { defineSchema, reference, untranslated, z } from '../../../integration/schema.ts';
import { runs } from '../../oracle/runs.ts';
import { createMemoryDriver, timeless } from '../../support/memory-driver.ts';
import { type CollectSettings, createTestCollector } from './collect.ts';

const KEYS = [
  'article/a.md',
  'article/a.de.md',
  'article/b.md',
  'article/de/b.md',
  'person/jane.md',
  'person/joe.yaml',
  'about.md',
  'bad name/x.md',
];
const LINES = [
  'title: A',
  'author: jane',
  'author: [person/jane, person/joe]',
  'n: 1',
  'n: x',
  'path: /same',
  'id: jane',
  'translationOf: a',
  'status: false',
  'broken: [',
];
const change = fc.record({
  key: fc.constantFrom(...KEYS),
  lines: fc.option(fc.uniqueArray(fc.constantFrom(...LINES), { maxLength: 3 })),
});
const changes = fc.array(change, { maxLength: 10 });
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
const schema = defineSchema({
  article: { author: untranslated(reference('person').nullish()), n: z.number().nullish() },
  person: {},
});

function toContent(store: EntityStore): unknown {
  const plain = (type: string) =>
    store.entities(type).map(({ aliasSince: _, ...entity }) => JSON.stringify(entity));
  return [...store.types].map(([name, { fields }]) => ({ name, fields: [...fields], entities: plain(name) }));
}

async function make(driver: WritableDriver, { key, lines }: Change): Promise<void> {
  const text = `${key.endsWith('.yaml') ? '' : '---\n'}${(lines ?? []).join('\n')}\n${key.endsWith('.yaml') ? '' : '---\n'}`;
  if (lines === null) await driver.remove(key);
  else await driver.write(key, new TextEncoder().encode(text));
}

// The earlier of two aliases wins, so both contents need the same times.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

describe.each<[string, CollectSettings]>([
  ['without a schema', { languages }],
  ['with a schema', { languages, schema, danglingReferences: 'missing' }],
])('a fork of the content, %s', (_, settings) => {
  it('changes like the original, but on its own', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, async (earlier, later) => {
        const driver = timeless(createMemoryDriver());
        const store = createEntityStore({ locale: 'en' });
        const collector = createTestCollector(driver, { ...settings, target: storeTarget(store) });
        await collector.load();
        for (const each of earlier) {
          await make(driver, each);
          await collector.apply([each.key]);
        }
        const ownDriver = timeless(createMemoryDriver());
        for (const each of earlier) await make(ownDriver, each);
        let ownStore = store;
        const fork = await collector.fork({
          driver: ownDriver,
          files: createFileSource(ownDriver),
          target() {
            ownStore = store.copy();
            return storeTarget(ownStore);
          },
          expected: { has: () => false },
        });
        const state = () => [toContent(store), collector.diagnostics()];
        const before = JSON.stringify(state());
        for (const each of later) {
          await make(ownDriver, each);
          await fork.apply([each.key], [], 'later');
        }
        expect(JSON.stringify(state())).toBe(before);
        for (const each of later) {
          await make(driver, each);
          await collector.apply([each.key], [], 'later');
        }
        expect([toContent(ownStore), fork.diagnostics()]).toEqual(state());
      }),
      runs(60),
    );
  });
});

describe('a fork of the content', () => {
  it.each([
    ['without a schema', {}],
    ['with a schema', { schema }],
  ])('takes the same work for few and for many entities, %s', async (_, settings) => {
    const small = await insertionsOfFork(3, settings);
    expect(await insertionsOfFork(600, settings)).toBe(small);
  });
});

/** The number of values that a fork puts into maps and sets. */
async function insertionsOfFork(entities: number, settings: CollectSettings): Promise<number> {
  const files = Array.from({ length: entities }, (_, at) => {
    return [`article/a${at}.md`, `---\ntitle: A\npath: /a${at}\nn: 1\n---\n`] as const;
  });
  const driver = createMemoryDriver(Object.fromEntries(files));
  const store = createEntityStore({ locale: 'en' });
  const collector = createTestCollector(driver, { ...settings, target: storeTarget(store) });
  await collector.load();
  const spies = [vi.spyOn(Map.prototype, 'set'), vi.spyOn(Set.prototype, 'add')];
  try {
    await collector.fork({
      driver,
      files: createFileSource(driver),
      target: () => storeTarget(store.copy()),
      expected: { has: () => false },
    });
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
