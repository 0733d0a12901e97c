import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { bodyText, type Entity } from '../../../integration/core/content/model.ts';
import {
  createEntityStore,
  type EntityStore,
  storeTarget,
} from '../../../integration/core/engine/store/entity-store.ts';
import type { Diagnostic } from '../../../integration/core/source/diagnostic.ts';
import { defineSchema, reference, untranslated, z } from '../../../integration/schema.ts';
import { runs } from '../../oracle/runs.ts';
import { createMemoryDriver, timeless } from '../../support/memory-driver.ts';
import { type CollectSettings, createTestCollector, type Files } from './collect.ts';

const KEYS = [
  'article/a.md',
  'article/b.md',
  'article/c/index.md',
  'article/d.json',
  'node--article/a.md',
  'person/jane.md',
  'person/joe.md',
  'org/acme.yaml',
  'about.md',
  'bad name/x.md',
  'article/_draft.md',
];

const DATA = [
  [],
  ['author: jane'],
  ['author: person/jane'],
  ['author: [person/jane, person/joe]'],
  ['author: org/acme'],
  ['author: org/jane'],
  ['n: 1'],
  ['n: 1.50'],
  ['n: x'],
  ['n: [1, 2]'],
  ['o: { a: 1 }'],
  ['o: { a: x, b: [y] }'],
  ['o: plain'],
  ['status: true'],
  ['status: false'],
  ['status: Final'],
  ['draft: true'],
  ['draft: soon'],
  ['id: a'],
  ['id: jane'],
  ['id: x', 'uuid: u'],
  ['type: A'],
  ['field_type: B'],
  ['type: A', 'field_type: B'],
  ['summary: short'],
  ['created: 2024-01-01'],
  ['created: never'],
  ['broken: ['],
];

const schema = defineSchema({
  article: {
    author: reference(['person', 'org']).nullish(),
    n: z.number().nullish(),
    type: z.string().nullish(),
  },
  person: { author: reference('person').nullish() },
});

function fileOf(key: string, data: readonly string[]): string {
  if (key.endsWith('.json')) {
    return data.some((line) => line.startsWith('broken'))
      ? '{'
      : `{${data.map((line) => line.replace(/^([^:]+): (.*)$/, '"$1": "$2"')).join(', ')}}`;
  }
  return key.endsWith('.yaml') ? data.join('\n') : `---\n${data.join('\n')}\n---\n# Heading\n`;
}

function toContent(store: EntityStore): unknown {
  return [...store.types].map(([name, type]) => ({
    name,
    fields: [...type.fields],
    entities: store.entities(name).map(plain),
  }));
}

function plain(entity: Entity): unknown {
  return {
    ...entity,
    values: JSON.stringify(entity.values),
    body: entity.body && bodyText(entity.body),
  };
}

async function loaded(files: Files, settings: CollectSettings) {
  const collector = createTestCollector(timeless(createMemoryDriver(files)), settings);
  const { types, entities } = await collector.load();
  const store = createEntityStore({ locale: 'en' });
  store.load(types, entities);
  return { content: toContent(store), entities, diagnostics: collector.diagnostics() };
}

/** References of a file with errors are checked as they are now, not as in its last good version. */
function isOfOthers({ code }: Diagnostic): boolean {
  return /^(reference|file)\//.test(code);
}

const batch = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    data: fc.option(fc.uniqueArray(fc.constantFrom(...DATA), { maxLength: 2 })),
  }),
  { minLength: 1, maxLength: 4 },
);

describe.each<[string, CollectSettings]>([
  ['without a schema', {}],
  ['with a schema', { schema, danglingReferences: 'missing' }],
])('any sequence of changes, %s', (_name, settings) => {
  it('gives the same result as a fresh start, except that broken files keep their last good entity', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 8 }), async (batches) => {
        const driver = timeless(createMemoryDriver());
        const store = createEntityStore({ locale: 'en' });
        const collector = createTestCollector(driver, { ...settings, target: storeTarget(store) });
        await collector.load();
        // The last valid version of each file, or its present one if it never was valid.
        const files = new Map<string, { readonly text: string; readonly readable: boolean }>();
        const broken = new Map<string, { readonly text: string; readonly problems: readonly Diagnostic[] }>();

        for (const changes of batches) {
          for (const { key, data } of changes) {
            await (data === null
              ? driver.remove(key)
              : driver.write(key, new TextEncoder().encode(fileOf(key, data.flat()))));
          }
          await collector.apply(changes.map(({ key }) => key));
          for (const key of new Set(changes.map((change) => change.key))) {
            const bytes = await driver.read(key);
            broken.delete(key);
            if (bytes === undefined) {
              files.delete(key);
              continue;
            }
            const text = new TextDecoder().decode(bytes);
            const alone = await loaded({ [key]: text }, settings);
            const problems = alone.diagnostics.filter((each) => each.key === key);
            const errors = problems.filter(({ severity }) => severity === 'error');
            const readable = alone.entities.length > 0 || errors.length === 0;
            if (!readable && files.get(key)?.readable === true) {
              broken.set(key, { text, problems: problems.filter((each) => !isOfOthers(each)) });
            } else {
              files.set(key, { text, readable });
            }
          }
        }

        const texts = Object.fromEntries([...files].map(([key, { text }]) => [key, text]));
        const fresh = await loaded(texts, settings);
        expect(toContent(store)).toEqual(fresh.content);
        const expected = fresh.diagnostics.filter(
          (each) => !(broken.has(each.key) && (isOfOthers(each) || each.code === 'data/duplicate-key')),
        );
        for (const [key, { text, problems }] of broken) {
          const present = await loaded({ ...texts, [key]: text }, settings);
          const ofOthers = present.diagnostics.filter((each) => each.key === key && isOfOthers(each));
          expected.push(...problems, ...ofOthers);
        }
        // Without a schema, types also depend on the last good version, and references to itself resolve to it.
        const isTold = ({ key, ...each }: Diagnostic) =>
          !(broken.has(key) && isOfOthers({ key, ...each })) ||
          (settings.schema !== undefined && /^(node--)?article\//.test(key));
        const printed = (all: readonly Diagnostic[]) =>
          all
            .filter(isTold)
            // Suggestions come from all entities, including last good versions.
            .map((each) => (broken.has(each.key) && isOfOthers(each) ? { ...each, hint: '' } : each))
            .map((each) => JSON.stringify(each))
            .sort();
        expect(printed(collector.diagnostics())).toEqual(printed(expected));
      }),
      runs(120),
    );
  });
});

const TRANSLATED_KEYS = [
  'article/a.md',
  'article/a.en.md',
  'article/a.de.md',
  'article/a.fr.md',
  'article/de/a.md',
  'de/article/a.md',
  'en/article/b.md',
  'article/b.md',
  'article/b.de.md',
  'fr/article/b.md',
  'article/c.md',
  'person/a.md',
  'person/a.de.md',
];
const TRANSLATED_DATA = [
  'title: T',
  'id: a',
  'id: b',
  'translationOf: a',
  'translationOf: b',
  'langcode: de',
  'langcode: fr',
  'status: false',
  'shared: 1',
  'author: a',
  'changed: 2024-01-01',
  'changed: 2025-01-01',
];
const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
const translatedSchema = defineSchema({
  article: {
    shared: untranslated(z.int().nullish()),
    author: untranslated(reference('person').nullish()),
  },
  person: { shared: z.int().nullish() },
});
const translatedBatch = fc.array(
  fc.record({
    key: fc.constantFrom(...TRANSLATED_KEYS),
    data: fc.option(fc.uniqueArray(fc.constantFrom(...TRANSLATED_DATA), { maxLength: 3 }), { freq: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe.each<[string, CollectSettings]>([
  ['without a schema', { languages, danglingReferences: 'missing' }],
  ['with a schema', { languages, schema: translatedSchema, danglingReferences: 'missing' }],
])('any sequence of changes of translations, %s', (_name, settings) => {
  /** Files with other errors keep their last good entity, so they are left out. */
  async function isReadable(key: string, text: string): Promise<boolean> {
    const { diagnostics } = await loaded({ [key]: text }, settings);
    return diagnostics.every(({ severity }) => severity !== 'error');
  }

  it('gives the same result as a fresh start', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(translatedBatch, { maxLength: 8 }), async (batches) => {
        const driver = timeless(createMemoryDriver());
        const store = createEntityStore({ locale: 'en' });
        const collector = createTestCollector(driver, { ...settings, target: storeTarget(store) });
        await collector.load();
        const files: Record<string, string> = {};
        for (const changes of batches) {
          for (const { key, data } of changes) {
            const text = data && fileOf(key, data);
            if (text !== null && !(await isReadable(key, text))) continue;
            if (text === null) await driver.remove(key);
            else await driver.write(key, new TextEncoder().encode(text));
            if (text === null) delete files[key];
            else files[key] = text;
          }
          await collector.apply(changes.map(({ key }) => key));
        }
        const fresh = await loaded(files, settings);
        expect(toContent(store)).toEqual(fresh.content);
        expect(collector.diagnostics()).toEqual(fresh.diagnostics);
      }),
      runs(60),
    );
  });
});
