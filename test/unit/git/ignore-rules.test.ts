import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGitDriver } from '../../../integration/features/git/driver.ts';
import { readIgnoreRules } from '../../../integration/features/git/ignore-rules.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createServices } from '../../support/services.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';
import { type CollectSettings, createTestCollector } from '../content/collect.ts';

type Tree = Readonly<Record<string, string>>;

function runGit(cwd: string, args: readonly string[], input = ''): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd, env, input, encoding: 'utf8' });
}

function createSite(files: Tree): string {
  const site = temporaryFolder();
  runGit(site, ['init', '-q', '-b', 'main']);
  writeFiles(site, files);
  return site;
}

const PAGE = '---\ntitle: A\n---\n';

async function load(site: string, settings: CollectSettings = {}, folder = 'content') {
  const driver = createGitDriver(join(site, folder));
  const collector = createTestCollector(driver, settings);
  const { entities } = await collector.load();
  const ids = () => entities.map(({ type, id }) => `${type}/${id}`).sort();
  const lines = () => collector.diagnostics().filter(({ message }) => message.includes('git ignores'));
  return { driver, collector, ids, lines };
}

function folders(named: Readonly<Record<string, string>>): CollectSettings {
  return { layout: { folders: named, ignore: [] } };
}

describe('files that git ignores', () => {
  it('are skipped, and one line of information counts them', async () => {
    const site = createSite({
      '.gitignore': '*.local.md\n/content/article/drafts/\n',
      'content/.gitignore': 'old-*\n',
      'content/article/.gitignore': 'x.md\n!keep.local.md\n',
      'content/article/a.md': PAGE,
      'content/article/a.local.md': PAGE,
      'content/article/keep.local.md': PAGE,
      'content/article/drafts/b.md': PAGE,
      'content/article/drafts/cover.png': '',
      'content/article/old-c.md': PAGE,
      'content/article/x.md': PAGE,
      'content/note/x.md': PAGE,
    });
    const { ids, lines } = await load(site);
    expect(ids()).toEqual(['node--article/a', 'node--article/keep.local', 'node--note/x']);
    expect(lines()).toMatchObject([
      {
        severity: 'info',
        message:
          '4 files skipped, because git ignores them: article/a.local.md, article/drafts/b.md, article/old-c.md ….',
        hint: 'To read a file, commit it or change .gitignore.',
      },
    ]);
  });

  it('are entities if they are committed in spite of the rule', async () => {
    const site = createSite({
      '.gitignore': 'b*.md\n',
      'content/article/a.md': PAGE,
      'content/article/b.md': PAGE,
    });
    runGit(site, ['add', '--force', '.']);
    runGit(site, ['commit', '-qm', 'All']);
    writeFiles(site, { 'content/article/b.md': PAGE.replace('A', 'B'), 'content/article/b2.md': PAGE });
    const { ids } = await load(site);
    expect(ids()).toEqual(['node--article/a', 'node--article/b']);
  });

  it.each([
    ['content/'],
    ['/content'],
    ['content/*'],
    ['content/**'],
    ['**/*.md'],
    ['/content/*\n!/content/.gitkeep'],
    ['content/\n*.local.md'],
  ])('are not all files of a content folder that the rules %j are about', async (rules) => {
    const site = createSite({
      '.gitignore': rules,
      'content/article/a.md': PAGE,
      'content/article/drafts/b.md': PAGE,
      'content/.gitignore': 'drafts/',
    });
    expect((await load(site)).ids()).toEqual(['node--article/a']);
  });

  it.each([['/content/fetched/'], ['fetched'], ['content/fetched/news'], ['content/fetched/news/*']])(
    'are not the files of a collection in the folder that the rule %j is about',
    async (rule) => {
      const site = createSite({
        '.gitignore': rule,
        'content/fetched/news/a.md': PAGE,
        'content/fetched/news/b/c.md': PAGE,
        'content/fetched/news/fetched/d.md': PAGE,
        'content/fetched/.gitignore': 'b/',
      });
      const { ids } = await load(site, folders({ news: 'fetched/news' }));
      expect(ids()).toEqual(rule === 'fetched' ? ['node--news/a'] : ['node--news/a', 'node--news/fetched/d']);
    },
  );

  it('are not those in a folder with `*` in its own .gitignore, if a collection names the folder', async () => {
    const site = createSite({ 'content/news/.gitignore': '*\n', 'content/news/a.md': PAGE });
    expect((await load(site, folders({ news: 'news' }))).ids()).toEqual(['node--news/a']);
    expect((await load(site)).ids()).toEqual([]);
  });

  it('are the same without a repository, for example in an image of a container', async () => {
    const site = temporaryFolder();
    writeFiles(site, {
      '.gitignore': '*',
      'site/package.json': '{}',
      'site/.gitignore': 'b.md',
      'site/content/article/a.md': PAGE,
      'site/content/article/b.md': PAGE,
    });
    expect((await load(site, {}, 'site/content')).ids()).toEqual(['node--article/a']);
  });

  it.each([['a repository'], ['no repository']])(
    'are found if the content folder is the top folder, in %s',
    async (place) => {
      const site = place === 'a repository' ? createSite({}) : temporaryFolder();
      writeFiles(site, { '.gitignore': '*\nb.md', 'article/a.md': PAGE, 'article/b.md': PAGE });
      expect((await load(site, {}, '.')).ids()).toEqual(['node--article/a']);
    },
  );

  it('appear and disappear with the rules, while the server runs', async () => {
    const site = createSite({ 'content/article/a.md': PAGE, 'content/article/b.md': PAGE });
    const { collector, lines } = await load(site);
    writeFiles(site, { 'content/.gitignore': 'b.md\n' });
    const { removed } = await collector.apply(['.gitignore']);
    expect(removed).toEqual([{ type: 'node--article', id: 'b' }]);
    expect(lines()).toMatchObject([{ message: expect.stringContaining('article/b.md') }]);
    writeFiles(site, { 'content/x/b.md': PAGE });
    expect(await collector.apply(['x/b.md'])).toMatchObject({ put: [], types: [] });
    writeFiles(site, { 'content/.gitignore': 'x\n' });
    expect((await collector.apply(['.gitignore'])).put).toMatchObject([{ id: 'b', key: 'article/b.md' }]);
    runGit(site, ['add', '--force', '.']);
    runGit(site, ['commit', '-qm', 'All']);
    expect((await collector.apply([])).types).toMatchObject([{ entities: [{ key: 'x/b.md' }] }]);
    expect(lines()).toEqual([]);
  });

  it('are not written by the server, which names the file', async () => {
    const site = createSite({ '.gitignore': 'b.md\n', 'content/article/a.md': PAGE });
    const driver = createGitDriver(join(site, 'content'));
    const handle = createHandler(await createServices(driver, undefined, { writable: {} }));
    const create = (title: string) =>
      ask(handle, 'POST', '/jsonapi/node/article', {
        body: { data: { type: 'node--article', attributes: { title } } },
        headers: { 'content-type': 'application/vnd.api+json' },
      });
    expect((await create('C')).status).toBe(201);
    const { status, text } = await create('B');
    expect(status).toBe(422);
    expect(text).toContain('`article/b.md` is ignored by git: change .gitignore.');
    expect((await driver.list()).files.map(({ key }) => key)).toEqual(['article/a.md', 'article/c.md']);
  });
});

describe('rules of .gitignore files', () => {
  it('match as in git', () => {
    const name = fc.constantFrom('a', 'b', 'a.md', 'b.md', 'x[1].md', 'a(b)', '.a', '#a', '!b', 'a b');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    const part = fc.oneof(
      name,
      fc.constantFrom(
        '*',
        '**',
        '*.md',
        'a*',
        '?',
        '[ab]',
        '[!a]',
        '[!a]*',
        '\\#a',
        '\\!b',
        'x\\[1\\].md',
        '{a,b}',
        'a\\ b',
        '.*',
      ),
    );
    const rule = fc
      .tuple(
        fc.constantFrom('', '', '!'),
        fc.constantFrom('', '', '/'),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '', '/', '  '),
      )
      .map(([mark, start, parts, end]) => mark + start + parts.join('/') + end);
    const rules = fc.array(rule, { maxLength: 4 }).map((lines) => lines.join('\n'));
    const site = temporaryFolder();
    runGit(site, ['init', '-q']);
    const root = join(site, 'content', 'sub');
    mkdirSync(root, { recursive: true });
    fc.assert(
      fc.property(
        rules,
        rules,
        fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
        (outer, inner, paths) => {
          const keys = paths.filter((key) => !paths.some((other) => other.startsWith(`${key}/`)));
          writeFiles(site, { '.gitignore': outer, 'content/sub/.gitignore': inner });
          const isIgnored = readIgnoreRules(root, ['.gitignore'], []);
          const lines = [...outer.split('\n'), ...inner.split('\n')];
          // Rules about the content folder differ on purpose.
          const isAboutAll = /^\/?(?:content|sub|\*\*?|\?|\[!a\]\*?|\*\.md)(?:\/|$| )/;
          fc.pre(!lines.some((line) => isAboutAll.test(line)));
          const args = ['check-ignore', '--no-index', '-z', '--stdin'];
          let printed = '';
          try {
            printed = runGit(root, args, keys.map((key) => `${key}\0`).join(''));
          } catch {
            // No file is ignored.
          }
          const expected = printed.split('\0').filter((key) => key !== '');
          expect(keys.filter(isIgnored)).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
  });
});
