import { describe, expect, it } from 'vitest';
import { createCollector } from '../../../../integration/core/content/collect.ts';
import { defineSchema, reference, z } from '../../../../integration/schema.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';

const schema = defineSchema({
  article: {
    author: reference('person').nullish(),
    tags: z.array(reference('taxonomy_term--tags')).default([]),
  },
  person: {},
  'taxonomy_term--tags': {},
});
const TARGETS = {
  'person/ifeoma-sand.md': '---\ntitle: Ifeoma Sand\n---\n',
  'taxonomy_term--tags/tides.md': '---\ntitle: Tides\n---\n',
};

describe('a dangling reference', () => {
  it.each([
    ['by its bare id', 'author: ifeoma-sandd', 'Did you mean `person/ifeoma-sand`?'],
    ['with its bundle', 'author: person/ifeoma-snad', 'Did you mean `person/ifeoma-sand`?'],
    ['with its bundle mistyped', 'author: persn/ifeoma-sand', 'Did you mean `person/ifeoma-sand`?'],
    ['of another entity type', 'tags: [tide]', 'Did you mean `taxonomy_term--tags/tides`?'],
    ['unlike any entity', 'author: somebody-else', 'Correct the reference, or add the file.'],
  ])('%s suggests the most similar entity', async (_, line, hint) => {
    const { diagnostics } = await collected({ ...TARGETS, 'article/a.md': `---\n${line}\n---\n` });
    expect(hints(diagnostics())).toEqual([hint]);
  });

  it('follows later changes', async () => {
    const { diagnostics, collector, driver } = await collected({
      'article/a.md': '---\nauthor: jane\n---\n',
    });
    expect(hints(diagnostics())).toEqual(['Correct the reference, or add the file.']);
    await driver.write('person/janet.md', new TextEncoder().encode('---\ntitle: Janet\n---\n'));
    await collector.apply(['person/janet.md']);
    expect(hints(diagnostics())).toEqual(['Did you mean `person/janet`?']);
  });

  it('has suggestions for the first twenty only', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`article/${100 + at}.md`, '---\nauthor: ifeoma-sandd\n---\n']),
    );
    const { diagnostics } = await collected({ ...TARGETS, ...files });
    const guessed = hints(diagnostics()).map((hint) => hint.startsWith('Did you mean'));
    expect(guessed).toEqual(Array.from({ length: 30 }, (_, at) => at < 20));
  });
});

async function collected(files: Readonly<Record<string, string>>) {
  const driver = createMemoryDriver(files);
  const options = { published: {}, danglingReferences: 'error', defaultLangcode: 'en' } as const;
  const collector = createCollector({ driver, schema, options });
  await collector.load();
  return { driver, collector, diagnostics: collector.diagnostics };
}

function hints(
  diagnostics: readonly { readonly code: string; readonly hint?: string | undefined }[],
): string[] {
  return diagnostics.filter(({ code }) => code === 'reference/dangling').map(({ hint = '' }) => hint);
}
