import { describe, expect, it } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { countWikiLinks, linksTo, possibleLinks } from '../../../integration/core/source/body-images.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';
import { collect, printDiagnostics } from './collect.ts';

const FILES = { 'doc/guide/start.md': '', 'doc/other.md': '', 'notes/x.md': '' };
const withBody = (body: string) => ({ ...FILES, 'doc/a.md': `---\ntitle: A\n---\n\n${body}\n` });

describe('links of bodies to Markdown files', () => {
  it.each([
    'See [x](./other.md), [y](guide/start.md#part "Title"), [z](<other.md?a=1>) and [w](../notes/x.md).',
    '[x]: other.md\n\n[x]',
    '`[x](gone.md)`\n\n```md\n[x](gone.md)\n```\n\n    [x](gone.md)\n\n<!-- [x](gone.md) -->',
    '\\[x](gone.md is text) and [x](/gone.md), [x](https://example.org/gone.md), [x](@/gone.md), [x](gone/)',
    '[x](../../gone.md) leads out, and [x](../_private/gone.md) is not content.',
    '[x](gone.md.png)',
  ])('that are right, or of other kinds, are not reported: %s', async (body) => {
    expect((await collect(withBody(body))).problems).toEqual([]);
  });

  it('that are broken are warnings with the closest file', async () => {
    const body = 'Täxt\n\nSee [one](./othr.md) and [two](guide/strat.md#x).\n\n[three]: nothing-like-it.md';
    expect((await collect(withBody(body))).problems).toEqual([
      'content/doc/a.md:7:11 warning: There is no file `./othr.md`. (Did you mean `./other.md`?)',
      'content/doc/a.md:7:32 warning: There is no file `guide/strat.md`. (Did you mean `./guide/start.md`?)',
      'content/doc/a.md:9:10 warning: There is no file `nothing-like-it.md`. (Links are relative to the file.)',
    ]);
  });

  it('are checked again when files come and go', async () => {
    const { collector, driver, problems } = await collect(withBody('[x](later.md)'));
    const current = () =>
      printDiagnostics(collector.diagnostics().filter(({ severity }) => severity !== 'info'));
    expect(problems).toHaveLength(1);
    await driver.write('doc/later.md', new TextEncoder().encode(''), { ifRevision: null });
    await collector.apply(['doc/later.md']);
    expect(current()).toEqual([]);
    await driver.remove('doc/later.md');
    await collector.apply(['doc/later.md']);
    expect(current()).toEqual(problems);
  });

  it('may lead to a file in the default language', async () => {
    const languages = siteLanguages({ locales: ['en', 'de'], defaultLocale: 'en' });
    const files = { ...FILES, 'doc/a.md': '', 'doc/de/a.md': '[x](./other.md) [y](./gone.md)' };
    const { problems } = await collect(files, { languages });
    expect(problems).toHaveLength(1);
  });

  it('can be of any severity, and never prevent a write', async () => {
    const problems = { 'body/link-missing': 'off' } as const;
    expect((await collect(withBody('[x](gone.md)'), { problems })).problems).toEqual([]);
    const handle = createHandler(
      await createServices(createMemoryDriver(FILES), undefined, { writable: {} }),
    );
    const body = { body: '[x](gone.md) [[Note]]' };
    expect((await ask(handle, 'PATCH', '/api/content/docs/other', { body })).status).toBe(201);
  });

  it('are found in linear time', () => {
    for (const part of ['](', '[[', '[x](', '![[', '[a]: ', '](<', '[x](a.md "', ':', '(', 'a.md']) {
      const start = performance.now();
      const body = `.md ${part.repeat(50_000)}`;
      possibleLinks(body);
      countWikiLinks(body);
      linksTo(new Set(['a.md']), body);
      expect(performance.now() - start, part).toBeLessThan(4000);
    }
  });
});

describe('wiki links', () => {
  it('are one warning for all', async () => {
    const files = {
      ...withBody(
        '[[Note]] and ![[image.png]], [[Note|text]], `[[code]]`, \\[[no]], [[x]](y)\n\n[[toml.table]]\n  key = 1\n\n```\n[[code]]\n```',
      ),
      'doc/b.md': '[[A]]',
    };
    const { problems } = await collect(files);
    expect(problems).toEqual([
      'content/ warning: 4 wiki links in 2 files are shown as text: [[…]] is not Markdown. (Write [text](path), or add a plugin for them to the Markdown processor of the site.)',
    ]);
  });

  it('are no longer counted when a file changes', async () => {
    const { collector, driver } = await collect({ 'doc/b.md': '[[A]]' });
    await driver.remove('doc/b.md');
    await collector.apply(['doc/b.md']);
    expect(collector.diagnostics()).toEqual([]);
  });
});
