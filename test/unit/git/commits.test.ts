import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { image, z } from '../../../integration/schema.ts';
import * as patience from '../../support/eventually.ts';
import {
  createGitSite,
  type GitSite,
  type OpenSite,
  runGit,
  type SiteOptions,
} from '../../support/git-site.ts';
import { png } from '../../support/pictures.ts';
import { fetchFrom } from '../../support/request.ts';

const FILES = {
  'article/moon.md': '---\ntitle: The moon # by heart\nfield_author: person/jane\n---\nRises *late*.\n',
  'article/tides.md': '---\ntitle: Tides\nfield_author: person/tom\ncover: ./tides.png\n---\n',
  'article/tides.png': 'a picture',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
  'person/tom.md': '---\ntitle: Tom\n---\n',
};

/** Starting git to look at a repository takes longer than most checks. */
const eventually = <T>(check: () => T | Promise<T>) => patience.eventually(check, { intervalMs: 100 });

const OPERATIONS = {
  'atomic:operations': [
    { op: 'add', data: { type: 'node--person', attributes: { title: 'Ada' } } },
    { op: 'update', data: { type: 'node--article', id: 'moon', attributes: { title: 'New moon' } } },
    { op: 'remove', ref: { type: 'node--person', id: 'jane' } },
  ],
};

const LANGUAGES = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });

let site: GitSite;
afterEach(async () => site.remove());

const countOf = (branch = 'HEAD') => Number(site.git('rev-list', '--count', branch));
const commits = (count: number, branch?: string) => eventually(() => expect(countOf(branch)).toBe(count));
const log = (format: string, revision = 'HEAD') => site.git('log', '-1', `--format=${format}`, revision);
const filesIn = (revision = 'HEAD') => site.git('show', '--format=', '--name-status', revision).split('\n');
const status = () => site.git('status', '--porcelain');
const retitle = ({ send }: OpenSite, title: string, as: 'jane' | 'tom' = 'jane', id = 'moon') =>
  send('PATCH', `/api/content/articles/${id}`, { title }, as);

describe('a change with the option git', () => {
  it('becomes a commit of only its file, by the account that made it', async () => {
    site = await createGitSite(FILES);
    const open = await site.open();
    expect((await retitle(open, 'New moon')).status).toBe(201);
    await commits(2);
    expect(log('%an <%ae> %cn <%ce>%n%B')).toBe(
      'Jane Low <jane@example.org> The site <site@example.org>\nUpdate article "New moon"',
    );
    expect(filesIn()).toEqual(['M\tcontent/article/moon.md']);
    expect(site.git('diff', 'HEAD~', '--', 'content/article/moon.md')).toContain(
      '-title: The moon # by heart\n+title: New moon # by heart\n',
    );
    expect(status()).toBe('');
  });

  it('commits unfinished changes beside their entry, and their end with the change of it', async () => {
    const moon = '---\ntitle: The moon\nmotto: Up\n---\nRises *late*.\n';
    site = await createGitSite({ ...FILES, 'article/moon.md': moon });
    const schema = { article: z.object({ title: z.string(), motto: z.string() }) };
    const open = await site.open({ git: true, requireIfMatch: false }, schema);
    const address = '/jsonapi/_drafts/node--article/moon';
    const change = (method: string, attributes: object) =>
      open.send(method, address, { data: { type: 'node--article', id: 'moon', attributes } });
    expect((await change('POST', { motto: null })).status).toBe(201);
    await commits(2);
    expect(filesIn().toSorted()).toEqual([
      'A\tcontent/.drafts/entries.jsonl',
      'A\tcontent/.drafts/node--article/moon.base.md',
      'A\tcontent/.drafts/node--article/moon.md',
    ]);
    expect((await change('PATCH', { motto: 'Down' })).status).toBe(200);
    await commits(3);
    expect(filesIn().toSorted()).toEqual([
      'D\tcontent/.drafts/entries.jsonl',
      'D\tcontent/.drafts/node--article/moon.base.md',
      'D\tcontent/.drafts/node--article/moon.md',
      'M\tcontent/article/moon.md',
    ]);
    expect(log('%s')).toBe('Update article "The moon"');
    expect(status()).toBe('');
  });

  it('does not touch other staged, changed and new files', async () => {
    site = await createGitSite(FILES);
    site.write('content/person/jane.md', '---\ntitle: Jane Staged\n---\n');
    site.git('add', '-A');
    site.write('content/article/tides.md', '---\ntitle: Tides by hand\n---\n');
    site.write('notes.txt', 'mine');
    const before = status();
    await retitle(await site.open(), 'New moon');
    await commits(2);
    expect(filesIn()).toEqual(['M\tcontent/article/moon.md']);
    expect(status()).toBe(before);
    expect(site.git('diff', '--cached', '--stat')).toContain('content/person/jane.md');
  });

  it('is committed as written, and later edits stay uncommitted', async () => {
    site = await createGitSite(FILES);
    const open = await site.open({ git: { commit: { quiet: 3600 } } });
    await retitle(open, 'New moon');
    site.write('content/article/moon.md', '---\ntitle: By hand\n---\n');
    await open.close();
    expect(countOf()).toBe(2);
    expect(site.git('show', 'HEAD:content/article/moon.md')).toContain('title: New moon');
    expect(status()).toBe(' M content/article/moon.md');
    expect(readFileSync(path.join(site.root, 'content/article/moon.md'), 'utf8')).toContain('By hand');
  });

  it('includes the ledger of removed ids and files with cleared references', async () => {
    site = await createGitSite(FILES);
    const { send } = await site.open({ git: true, onDelete: 'set-null' });
    await send('POST', '/api/content/articles', { title: 'Low water' });
    await commits(2);
    expect([log('%s'), ...filesIn()]).toEqual([
      'Create article "Low water"',
      'A\tcontent/article/low-water.md',
    ]);
    await send('DELETE', '/api/content/people/jane');
    await commits(3);
    expect([log('%s'), ...filesIn()]).toEqual([
      'Remove person "Jane Low"',
      'A\tcontent/.bin/entries.jsonl',
      expect.stringMatching(
        /^R100\tcontent\/person\/jane\.md\tcontent\/\.bin\/node--person\/jane-[0-9a-f]{8}\.md$/,
      ),
      'A\tcontent/_gone.jsonl',
      'M\tcontent/article/moon.md',
    ]);
    await send('POST', '/api/content/people', { id: 'jane', title: 'Jane again' });
    await commits(4);
    expect(filesIn()).toEqual(['D\tcontent/_gone.jsonl', 'A\tcontent/person/jane.md']);
    expect(status()).toBe('');
  });

  it('is one commit for all operations of a request, which lists them', async () => {
    site = await createGitSite(FILES);
    const { send } = await site.open({ git: true, onDelete: 'set-null' });
    expect((await send('POST', '/jsonapi/operations', OPERATIONS)).status).toBe(200);
    await commits(2);
    expect(log('%an%n%B')).toBe(
      'Jane Low\nChange content (3 changes)\n\n- Create person "Ada"\n- Update article "New moon"\n- Remove person "Jane Low"',
    );
    expect(filesIn()).toEqual([
      'A\tcontent/.bin/entries.jsonl',
      expect.stringMatching(
        /^R100\tcontent\/person\/jane\.md\tcontent\/\.bin\/node--person\/jane-[0-9a-f]{8}\.md$/,
      ),
      'A\tcontent/_gone.jsonl',
      'M\tcontent/article/moon.md',
      'A\tcontent/person/ada.md',
    ]);
    expect(status()).toBe('');
  });

  it('names the language of a translation', async () => {
    site = await createGitSite(FILES);
    const { send } = await site.open({ git: true, languages: LANGUAGES });
    const article = '/api/content/articles/moon';
    await send('POST', `${article}?langCode=de`, { title: 'Der Mond' });
    await commits(2);
    await send('PATCH', `${article}?langCode=de`, { title: 'Neumond' });
    await commits(3);
    await retitle({ send } as OpenSite, 'New moon');
    await commits(4);
    const mond = '/jsonapi/node/article/moon?langCode=de';
    await send('POST', '/jsonapi/operations', {
      'atomic:operations': [
        { op: 'add', data: { type: 'node--person', lid: 'ada', attributes: { title: 'Ada' } } },
        {
          op: 'add',
          ref: { type: 'node--person', lid: 'ada' },
          data: { type: 'node--person', attributes: { title: 'Die Ada' } },
          meta: { langCode: 'de' },
        },
        { op: 'remove', href: mond },
      ],
    });
    await commits(5);
    expect(site.git('log', '-4', '--format=%B')).toBe(
      [
        'Change content (3 changes)\n\n- Create person "Ada"\n- Create person "Die Ada" (de)\n- Remove article "Neumond" (de)\n',
        'Update article "New moon"\n',
        'Update article "Neumond" (de)\n',
        'Create article "Der Mond" (de)',
      ].join('\n'),
    );
  });

  it('can be an upload, with or without its entity', async () => {
    site = await createGitSite({ 'article/tides.md': '---\ntitle: Tides\n---\n' });
    const { runtime } = await site.open({ git: true }, { article: { cover: image().nullish() } });
    const upload = (address: string, name: string) =>
      fetchFrom(runtime.handle, `/jsonapi/node/article${address}/cover`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${site.tokens.tom}`,
          'content-type': 'application/octet-stream',
          'content-disposition': `file; filename="${name}"`,
        },
        body: Buffer.from(png(3, 2)),
      });
    expect((await upload('', 'alone.png'))?.status).toBe(201);
    await commits(2);
    expect([log('%an <%ae> %s'), ...filesIn()]).toEqual([
      'tom <tom@users.noreply.invalid> Upload article "alone.png"',
      'A\tcontent/article/alone.png',
    ]);
    expect((await upload('/tides', 'quay.png'))?.status).toBe(200);
    await commits(3);
    expect(filesIn()).toEqual(['A\tcontent/article/quay.png', 'M\tcontent/article/tides.md']);
  });

  it('has no commit if it changes nothing or is rejected', async () => {
    site = await createGitSite(FILES);
    const open = await site.open();
    expect((await retitle(open, 'The moon')).status).toBe(201);
    expect((await open.send('PATCH', '/api/content/articles/moon', { title: '' })).status).toBe(422);
    expect((await open.send('DELETE', '/api/content/people/jane')).status).toBe(409);
    await retitle(open, 'New moon');
    await commits(2);
    expect(status()).toBe('');
  });

  it('has the same dates before the commit, after it and after a restart', async () => {
    site = await createGitSite(FILES);
    const first = await site.open();
    await new Promise((done) => setTimeout(done, 1100));
    const written = (await retitle(first, 'New moon')).json.data;
    await commits(2);
    const read = async ({ send }: OpenSite) => (await send('GET', '/api/content/articles/moon')).json;
    const after = await read(first);
    expect(after.data).toMatchObject({ created: written.created, changed: written.changed });
    expect(written.created < written.changed).toBe(true);
    await first.close();
    expect(await read(await site.open())).toEqual(after);
  });

  it.each([
    ['the repository is the content folder itself', ''],
    ['the content lies deep in the repository', 'sites/main site/content'],
  ])('is committed if %s', async (_where, folder) => {
    site = await createGitSite({ 'article/moon.md': '---\ntitle: Moon\n---\n' }, folder);
    const { send } = await site.open();
    await send('POST', '/api/content/articles', { id: 'ü/[x] *', title: 'Odd' });
    await commits(2);
    await retitle({ send } as OpenSite, 'New');
    await commits(3);
    expect(status()).toBe('');
  });

  it('of a linked file is committed at the link’s target', async () => {
    site = await createGitSite(FILES);
    renameSync(path.join(site.root, 'content/person'), path.join(site.root, 'content/_people'));
    execFileSync('ln', ['-s', '_people', path.join(site.root, 'content/person')]);
    site.git('add', '-A');
    site.git('commit', '-q', '-m', 'Link');
    const { send } = await site.open();
    await send('PATCH', '/api/content/people/tom', { title: 'Thomas' });
    await commits(3);
    expect(filesIn()).toEqual(['M\tcontent/_people/tom.md']);
    expect(status()).toBe('');
  });

  it('is committed by the author if git has no user, and by the option committer if it is set', async () => {
    site = await createGitSite(FILES);
    site.git('config', '--unset', 'user.name');
    site.git('config', '--unset', 'user.email');
    site.git('config', 'user.useConfigOnly', 'true');
    vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
    vi.stubEnv('GIT_CONFIG_SYSTEM', '/dev/null');
    try {
      const open = await site.open();
      await retitle(open, 'One');
      await commits(2);
      expect(log('%cn <%ce>')).toBe('Jane Low <jane@example.org>');
      await open.close();
      await retitle(
        await site.open({ git: { committer: { name: 'Robot', mail: 'robot@example.org' } } }),
        'Two',
      );
      await commits(3);
      expect(log('%cn <%ce>')).toBe('Robot <robot@example.org>');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('has the language in the message of the option git.message', async () => {
    site = await createGitSite(FILES);
    const one = '[action] [id] in [langcode]';
    const { send } = await site.open({ git: { message: { one } }, languages: LANGUAGES });
    await send('POST', '/api/content/articles/moon?langCode=de', { title: 'Der Mond' });
    await commits(2);
    await retitle({ send } as OpenSite, 'New moon');
    await commits(3);
    expect(site.git('log', '-2', '--format=%s')).toBe('update moon in en\ncreate moon in de');
  });

  it('has the message of the option git.message, to which a title cannot add lines', async () => {
    site = await createGitSite(FILES);
    const one = 'content: [action] [type] [id] ([account]) [skip ci]\n\n[Action]d "[title]"';
    const { send } = await site.open({ git: { message: { one } } });
    await send('PATCH', '/api/content/articles/moon', { title: 'Moon\n\nSigned-off-by: you' });
    await commits(2);
    expect(log('%B')).toBe(
      'content: update article moon (jane) [skip ci]\n\nUpdated "Moon Signed-off-by: you"',
    );
  });
});

describe('with git.commit { quiet }', () => {
  it('groups the changes of each author into one commit with a list', async () => {
    site = await createGitSite(FILES);
    const open = await site.open({ git: { commit: { quiet: 3600 } } });
    await retitle(open, 'One');
    await retitle(open, 'Two', 'jane', 'tides');
    await open.send('PATCH', '/api/content/people/tom', { title: 'Thomas' }, 'tom');
    await retitle(open, 'Three');
    await retitle(open, 'Four', 'tom');
    await retitle(open, 'Five');
    expect(countOf()).toBe(1);
    await open.close();
    expect(countOf()).toBe(4);
    const of = (revision: string) => [log('%an: %B', revision), ...filesIn(revision)];
    expect(of('HEAD~2')).toEqual([
      'Jane Low: Change content (3 changes)\n\n- Update article "One"\n- Update article "Two"\n- Update article "Three"',
      'M\tcontent/article/moon.md',
      'M\tcontent/article/tides.md',
    ]);
    expect(of('HEAD~')[0]).toContain('tom: Change content (2 changes)');
    expect(site.git('show', 'HEAD~2:content/article/moon.md')).toContain('title: Three');
    expect(site.git('show', 'HEAD~:content/article/moon.md')).toContain('title: Four');
    expect(of('HEAD')).toEqual(['Jane Low: Update article "Five"', 'M\tcontent/article/moon.md']);
    expect(status()).toBe('');
  });

  it('commits early when the server closes', async () => {
    site = await createGitSite(FILES);
    const open = await site.open({ git: { commit: { quiet: 3600 } } });
    await retitle(open, 'One');
    await open.close();
    expect([countOf(), status()]).toEqual([2, '']);
  });
});

describe('a file that someone else has committed since the change', () => {
  const moon = () => path.join(site.root, 'content/article/moon.md');
  const moonAt = (revision = 'HEAD') => site.git('show', `${revision}:content/article/moon.md`);
  const quiet = { git: { commit: { quiet: 3600 }, acknowledge: 'commit' } } as const;
  const LONG = '---\ntitle: The moon # by heart\n---\nRises.\n\nWanes.\n\nSets.\n';
  /** The job after the quiet period, which ends when the server closes. */
  const ended = async (first: OpenSite, { json }: Awaited<ReturnType<OpenSite['send']>>) => {
    await first.close();
    const open = await site.open({ git: { acknowledge: 'commit' } });
    const { pathname } = new URL(json.meta.job.links.self);
    return await eventually(async () => {
      const { data } = (await open.send('GET', pathname)).json;
      expect(data.status).not.toBe('pending');
      return data;
    });
  };

  it('stays as it is if the commit contains the change', async () => {
    site = await createGitSite({ ...FILES, 'article/moon.md': LONG });
    const open = await site.open(quiet);
    const sent = await retitle(open, 'New moon');
    site.git('commit', '-q', '-a', '-m', 'By hand');
    writeFileSync(moon(), readFileSync(moon(), 'utf8').replace('Wanes', 'Wanes by hand'));
    site.git('commit', '-q', '-a', '-m', 'By hand, too');
    expect(await ended(open, sent)).toMatchObject({ status: 'committed', commit: log('%H'), detail: null });
    expect(log('%s')).toBe('By hand, too');
    expect(moonAt()).toContain('title: New moon # by heart\n---\nRises.\n\nWanes by hand.');
    expect(status()).toBe('');
  });

  it('gets the change if it is missing, as after a pull with autostash', async () => {
    site = await createGitSite({ ...FILES, 'article/moon.md': LONG });
    site.git('checkout', '-q', '-b', 'theirs');
    site.write('content/article/moon.md', LONG.replace('Sets', 'Sets for all'));
    site.git('commit', '-q', '-a', '-m', 'Theirs');
    site.git('checkout', '-q', 'main');
    const open = await site.open(quiet);
    const sent = await retitle(open, 'New moon');
    site.git('rebase', '-q', '--autostash', 'theirs');
    await ended(open, sent);
    expect(log('%an %s')).toBe('Jane Low Update article "New moon"');
    expect(log('%s', 'HEAD~')).toBe('Theirs');
    expect(moonAt()).toBe(LONG.replace('The moon', 'New moon').replace('Sets', 'Sets for all').trimEnd());
    expect(status()).toBe('');
  });

  it('stays as it is if both changed the same line, and the log says so', async () => {
    site = await createGitSite({ ...FILES, 'article/moon.md': LONG });
    const open = await site.open(quiet);
    const sent = await retitle(open, 'New moon');
    site.write('content/article/moon.md', LONG.replace('The moon', 'By hand'));
    site.git('commit', '-q', '-a', '-m', 'By hand');
    expect((await ended(open, sent)).detail).toMatch(
      /^someone else has committed conflicting changes of content\/article\/moon\.md/,
    );
    expect(log('%s')).toBe('By hand');
    expect(status()).toBe('');
    expect(open.lines.join('\n')).toContain('warn Not committed: someone else has committed');
  });

  it('stays if the change removed it', async () => {
    site = await createGitSite(FILES);
    const open = await site.open(quiet);
    const sent = await open.send('DELETE', '/api/content/articles/moon');
    site.write('content/article/moon.md', '---\ntitle: Another moon\n---\n');
    site.git('add', '-A');
    site.git('commit', '-q', '-m', 'By hand');
    await ended(open, sent);
    expect(moonAt()).toContain('title: Another moon');
    expect(status()).toBe('');
  });

  it('waits for a conflict of a stash to be resolved', async () => {
    site = await createGitSite({ ...FILES, 'article/moon.md': LONG });
    const open = await site.open(quiet);
    const sent = await retitle(open, 'New moon');
    site.git('stash', '-q');
    site.write('content/article/moon.md', LONG.replace('The moon', 'By hand'));
    site.git('commit', '-q', '-a', '-m', 'By hand');
    expect(() => site.git('stash', 'pop')).toThrow();
    await open.close();
    expect(open.lines.join('\n')).toContain('has a conflict in the working tree');
    expect(status()).toContain('UU content/article/moon.md');
    site.write('content/article/moon.md', LONG.replace('The moon', 'By both'));
    site.git('commit', '-q', '-a', '-m', 'Resolved');
    await ended(open, sent);
    expect(log('%s')).toBe('Resolved');
    expect(status()).toBe('');
  });
});

describe('with git.branch', () => {
  it('commits to that branch, creates it, and leaves the checked-out branch alone', async () => {
    site = await createGitSite(FILES);
    const open = await site.open({ git: { branch: 'edits/site' } });
    await retitle(open, 'One');
    await commits(2, 'edits/site');
    await retitle(open, 'Two');
    await commits(3, 'edits/site');
    expect(site.git('show', 'edits/site:content/article/moon.md')).toContain('title: Two');
    expect([site.git('branch', '--show-current'), countOf(), status()]).toEqual([
      'main',
      1,
      ' M content/article/moon.md',
    ]);
  });

  it('waits while the branch is checked out in another worktree', async () => {
    site = await createGitSite(FILES);
    site.git('worktree', 'add', '-q', '-b', 'edits', '../other');
    const open = await site.open({ git: { branch: 'edits' } });
    await retitle(open, 'One');
    await eventually(() => expect(open.lines.join()).toContain('is checked out in another worktree'));
    site.git('worktree', 'remove', '../other');
    await commits(2, 'edits');
  });
});

describe('commits', () => {
  const waiting = async (open: OpenSite, reason: string) => {
    await eventually(() => expect(open.lines.join('\n')).toContain(reason));
    const { json } = await open.send('GET', '/healthz', undefined, null);
    expect(json).toMatchObject({ status: 'ok', git: { commits: 'waiting' } });
  };

  /** Two branches with conflicting changes of one file. */
  const openDiverged = async (options: SiteOptions = { git: true }) => {
    site = await createGitSite(FILES);
    site.git('checkout', '-q', '-b', 'side');
    site.write('content/article/tides.md', '---\ntitle: Side\n---\n');
    site.git('commit', '-q', '-a', '-m', 'Side');
    site.git('checkout', '-q', 'main');
    site.write('content/article/tides.md', '---\ntitle: Main\n---\n');
    site.git('commit', '-q', '-a', '-m', 'Main');
    return site.open(options);
  };

  it('wait for the end of a merge, with one message in the log', async () => {
    const open = await openDiverged({ git: { commit: { quiet: 1 } } });
    await retitle(open, 'One');
    // The merge begins before the commit.
    const marker = path.join(site.root, '.git/MERGE_HEAD');
    writeFileSync(marker, `${site.git('rev-parse', 'side')}\n`);
    await waiting(open, 'A merge is in progress in the repository: finish it or abort it.');
    expect(countOf()).toBe(2);
    rmSync(marker);
    await commits(3);
    await eventually(() => expect(open.lines.join('\n')).toContain('Changes are committed again.'));
    expect(open.lines.filter((line) => line.includes('A merge is in progress'))).toHaveLength(1);
    expect((await open.send('GET', '/healthz', undefined, null)).json.git).toMatchObject({ commits: 'ok' });
    expect(status()).toBe('');
  });

  it.each([
    ['merge', 'A merge'],
    ['rebase', 'A rebase'],
    ['cherry-pick', 'A cherry-pick'],
  ])('are impossible during a %s, whose abort would revert changes of the files', async (command, name) => {
    const open = await openDiverged();
    expect(() => site.git(command, 'side')).toThrow();
    const refused = await retitle(open, 'One');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.json.error.detail).toBe(
      `${name} is in progress in the repository of the content: finish it or abort it. Until then, nothing can be changed.`,
    );
    site.git(command, '--abort');
    expect((await retitle(open, 'Two')).status).toBe(201);
    await commits(3);
    expect(status()).toBe('');
    expect(readFileSync(path.join(site.root, 'content/article/moon.md'), 'utf8')).toContain('title: Two');
  });

  it('wait while no branch is checked out', async () => {
    site = await createGitSite(FILES);
    site.git('checkout', '-q', '--detach');
    const open = await site.open();
    await retitle(open, 'One');
    await waiting(open, 'No branch is checked out (HEAD is detached)');
    site.git('checkout', '-q', 'main');
    await commits(2);
  });

  it('wait silently while another git holds the index', async () => {
    site = await createGitSite(FILES);
    const lock = path.join(site.root, '.git/index.lock');
    writeFileSync(lock, '');
    const open = await site.open();
    await retitle(open, 'One');
    await new Promise((done) => setTimeout(done, 500));
    expect(countOf()).toBe(1);
    rmSync(lock);
    await commits(2);
    expect(open.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('can be the first of a repository', async () => {
    site = await createGitSite(FILES);
    site.git('update-ref', '-d', 'HEAD');
    site.git('rm', '-r', '-q', '--cached', '.');
    await retitle(await site.open(), 'One');
    await eventually(() => expect(filesIn()).toEqual(['A\tcontent/article/moon.md']));
  });
});

describe('a file that git ignores', () => {
  it('is reported and not committed', async () => {
    site = await createGitSite(FILES);
    const open = await site.open({ git: { acknowledge: 'commit' } });
    // Rules that exist when the server starts reject the request.
    site.write('.gitignore', 'low-*\n');
    const { json } = await open.send('POST', '/api/content/articles', { title: 'Low water' });
    const detail = expect.stringMatching(/^git ignores content\/article\/low-water\.md/);
    await eventually(async () =>
      expect((await open.send('GET', `/api/content/_jobs/${json.meta.job.id}`)).json.data).toMatchObject({
        status: 'failed',
        commit: null,
        detail,
      }),
    );
    expect(open.lines.join()).toContain('Not committed: git ignores content/article/low-water.md');
  });
});

describe('without a repository', () => {
  it('the server logs an error and is read-only', async () => {
    site = await createGitSite(FILES);
    rmSync(path.join(site.root, '.git'), { recursive: true });
    const open = await site.open();
    expect(open.lines).toEqual([
      expect.stringMatching(
        /^error Content is read-only, because option editing\.git is set .* is not in a working tree/,
      ),
    ]);
    expect((await retitle(open, 'One')).status).toBe(405);
    expect((await open.send('GET', '/api/content/articles/moon')).status).toBe(200);
  });

  it('or without git, the server logs an error', async () => {
    site = await createGitSite(FILES);
    vi.stubEnv('PATH', '/nowhere');
    try {
      const open = await site.open({ git: true, gitDates: false });
      expect(open.lines.join()).toContain('git is not on the PATH');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('with git.push', () => {
  async function remote(): Promise<string> {
    const bare = path.join(path.dirname(site.root), 'remote.git');
    mkdirSync(bare);
    runGit(bare, ['init', '-q', '--bare', '-b', 'main']);
    return bare;
  }
  const pushed = (bare: string, count: number, branch = 'main') =>
    eventually(() => expect(runGit(bare, ['rev-list', '--count', branch])).toBe(String(count)));

  it('pushes commits', async () => {
    site = await createGitSite(FILES);
    const bare = await remote();
    site.git('remote', 'add', 'origin', bare);
    const open = await site.open({ git: { push: { branch: 'live' }, acknowledge: 'commit' } });
    const { json } = await retitle(open, 'One');
    await pushed(bare, 2, 'live');
    const job = () => open.send('GET', `/api/content/_jobs/${json.meta.job.id}`);
    await eventually(async () => expect((await job()).json.data.pushed).toBe(true));
    expect((await open.send('GET', '/healthz', undefined, null)).json.git).toMatchObject({
      commits: 'ok',
      pushes: 'ok',
    });
  });

  it('logs a failed push without its password, and retries it after a restart', async () => {
    site = await createGitSite(FILES);
    site.git('remote', 'add', 'origin', 'https://jane:secret@127.0.0.1:9/site.git');
    const options = { git: { push: true, acknowledge: 'commit' } } as const;
    const first = await site.open(options);
    const { json } = await retitle(first, 'One');
    await eventually(() => expect(first.lines.join()).toContain('Commits cannot be pushed.'));
    expect(first.lines.join()).not.toContain('secret');
    const { data } = (await first.send('GET', `/api/content/_jobs/${json.meta.job.id}`)).json;
    expect(data).toMatchObject({
      status: 'committed',
      pushed: false,
      detail: expect.stringMatching(/^git says: /),
    });
    expect(JSON.stringify(data)).not.toContain('secret');
    expect((await first.send('GET', '/healthz', undefined, null)).json.git.pushes).toBe('waiting');
    await first.close();
    const bare = await remote();
    site.git('remote', 'set-url', 'origin', bare);
    const second = await site.open(options);
    await pushed(bare, 2);
    const job = () => second.send('GET', `/api/content/_jobs/${json.meta.job.id}`);
    await eventually(async () => expect((await job()).json.data.pushed).toBe(true));
  });

  it('retries a failed push while another branch is checked out', async () => {
    site = await createGitSite(FILES);
    const bare = await remote();
    site.git('remote', 'add', 'origin', `${bare}-away`);
    const options = { git: { push: true, acknowledge: 'commit' } } as const;
    const open = await site.open(options);
    const { json } = await retitle(open, 'One');
    await eventually(() => expect(open.lines.join()).toContain('Commits cannot be pushed.'));
    site.git('checkout', '-q', '-b', 'side');
    await retitle(open, 'Two');
    await commits(3);
    const { pathname } = new URL(json.meta.job.links.self);
    expect((await open.send('GET', pathname)).json.data).toMatchObject({ branch: 'main', pushed: false });
    site.git('remote', 'set-url', 'origin', bare);
    await eventually(async () => {
      expect((await open.send('GET', pathname)).json.data).toMatchObject({ detail: null, pushed: true });
    });
    await eventually(() => {
      expect(runGit(bare, ['rev-parse', 'main', 'side'])).toBe(site.git('rev-parse', 'main', 'side'));
    });
  });

  it('does not rebase if the remote has other commits, and continues after a pull', async () => {
    site = await createGitSite(FILES);
    const bare = await remote();
    site.git('remote', 'add', 'origin', bare);
    site.git('push', '-q', '-u', 'origin', 'main');
    const other = path.join(path.dirname(site.root), 'other');
    runGit(path.dirname(site.root), ['clone', '-q', bare, other]);
    const by = ['-c', 'user.name=O', '-c', 'user.email=o@example.org'];
    runGit(other, [...by, 'commit', '-q', '--allow-empty', '-m', 'Theirs']);
    runGit(other, ['push', '-q']);
    const open = await site.open({ git: { push: true } });
    await retitle(open, 'One');
    await eventually(() =>
      expect(open.lines.join()).toContain('The remote has commits that are missing here: pull them'),
    );
    expect(countOf()).toBe(2);
    site.git('pull', '-q', '--no-rebase', '--no-edit');
    await pushed(bare, 4);
    await eventually(() => expect(open.lines.join()).toContain('Commits are pushed again.'));
  });
});

describe("with git.acknowledge: 'commit'", () => {
  const options = { git: { acknowledge: 'commit' } } as const;
  const resource = (attributes: object, id?: string) => ({ data: { type: 'node--article', id, attributes } });
  const settled = (open: OpenSite, address: string) =>
    eventually(async () => {
      const { json } = await open.send('GET', address);
      expect((json.data.attributes ?? json.data).status).not.toBe('pending');
      return json;
    });

  it('responds to operations with 202, their results and one job', async () => {
    site = await createGitSite(FILES);
    const open = await site.open({ ...options, onDelete: 'set-null' });
    const { status: answered, headers, json } = await open.send('POST', '/jsonapi/operations', OPERATIONS);
    const { id } = json.meta.job;
    const href = `https://site.example/jsonapi/_jobs/${id}`;
    expect([answered, headers.get('content-location')]).toEqual([202, href]);
    expect(json['atomic:results']).toMatchObject([{ data: { id: 'ada' } }, { data: { id: 'moon' } }, {}]);
    expect((await settled(open, `/jsonapi/_jobs/${id}`)).data).toMatchObject({
      attributes: { status: 'committed', commit: site.git('rev-parse', 'HEAD') },
      links: { self: { href } },
    });
    const [, , removal] = OPERATIONS['atomic:operations'];
    const others = { ref: { type: 'node--person', id: 'tom' } };
    const empty = { 'atomic:operations': [{ ...removal, ...others }] };
    expect((await open.send('POST', '/jsonapi/operations', empty)).json).toEqual({
      jsonapi: expect.anything(),
      meta: { job: expect.objectContaining({ status: 'pending' }) },
    });
  });

  it('responds to JSON:API with 202 and a job that reports the commit', async () => {
    site = await createGitSite(FILES);
    const open = await site.open(options);
    const created = await open.send('POST', '/jsonapi/node/article', resource({ title: 'Low water' }));
    const { id } = created.json.meta.job;
    const href = `https://site.example/jsonapi/_jobs/${id}`;
    expect(created.status).toBe(202);
    expect(created.headers.get('content-location')).toBe(href);
    expect(created.headers.get('location')).toBe('https://site.example/jsonapi/node/article/low-water');
    expect(created.json).toMatchObject({
      jsonapi: { version: '1.1' },
      data: { type: 'node--article', id: 'low-water', attributes: { title: 'Low water' } },
      meta: { job: { id, status: 'pending', links: { self: { href } } } },
    });
    expect(await settled(open, `/jsonapi/_jobs/${id}`)).toEqual({
      jsonapi: expect.anything(),
      data: {
        type: 'job',
        id,
        attributes: {
          status: 'committed',
          detail: null,
          created: expect.stringMatching(/^20/),
          commit: site.git('rev-parse', 'HEAD'),
          branch: 'main',
          pushed: null,
          conflicts: [],
        },
        links: { self: { href }, related: { href: 'https://site.example/jsonapi/node/article/low-water' } },
      },
      links: { self: { href } },
    });
  });

  it.each([
    ['PATCH', '/jsonapi/node/article/moon', resource({ title: 'New' }, 'moon'), 'data'],
    ['DELETE', '/jsonapi/node/article/moon', undefined, undefined],
    ['PATCH', '/jsonapi/node/article/moon/relationships/field_author', { data: null }, undefined],
    ['POST', '/api/content/articles', { title: 'New' }, 'data'],
    ['PUT', '/v1/api/content/articles/moon', { title: 'New' }, 'data'],
    ['PATCH', '/api/content/articles/moon', { title: 'New' }, 'data'],
    ['DELETE', '/api/content/articles/moon', undefined, undefined],
  ])('responds to %s %s with a job in the format of its API', async (method, address, body, data) => {
    site = await createGitSite(FILES);
    const open = await site.open(options);
    const { status, json } = await open.send(method, address, body);
    expect([status, data === undefined ? json.data : typeof json[data]]).toEqual([
      202,
      data === undefined ? undefined : 'object',
    ]);
    const { self } = json.meta.job.links;
    const href: string = self.href ?? self;
    expect(href).toBe(
      `https://site.example${/^.*?(?=\/node|\/articles)/.exec(address)?.[0]}/_jobs/${json.meta.job.id}`,
    );
    const job = await settled(open, new URL(href).pathname);
    expect((job.data.attributes ?? job.data).commit).toBe(site.git('rev-parse', 'HEAD'));
  });

  it.each([
    ['/jsonapi/node/article/moon?langCode=de', '/jsonapi', '/jsonapi/node/article/moon?langCode=de'],
    ['/de/jsonapi/node/article/moon', '/jsonapi', '/jsonapi/node/article/moon?langCode=de'],
    ['/api/content/articles/moon?langCode=de', '/api/content', '/api/content/articles/moon?langCode=de'],
    ['/de/api/content/articles/moon', '/api/content', '/api/content/articles/moon?langCode=de'],
  ])('responds to PATCH %s with a job that links to the translation', async (address, root, related) => {
    site = await createGitSite({ ...FILES, 'article/moon.de.md': '---\ntitle: Der Mond\n---\n' });
    const open = await site.open({ ...options, languages: LANGUAGES });
    const isJsonApi = root === '/jsonapi';
    const change = isJsonApi ? resource({ title: 'Neumond' }, 'moon') : { title: 'Neumond' };
    const { status: answered, headers, json } = await open.send('PATCH', address, change);
    const job = `${root}/_jobs/${json.meta.job.id}`;
    expect([answered, headers.get('content-language'), headers.get('content-location')]).toEqual([
      202,
      'de',
      `https://site.example${job}`,
    ]);
    const { data, links } = await settled(open, job);
    expect(isJsonApi ? data.links.related.href : links.entity).toBe(`https://site.example${related}`);
  });

  it('responds without a job if nothing changes', async () => {
    site = await createGitSite(FILES);
    const open = await site.open(options);
    const { status, json } = await retitle(open, 'The moon');
    expect([status, json.meta.job]).toEqual([201, undefined]);
  });

  it('shows a job only to the author of the change and to administrators', async () => {
    site = await createGitSite(FILES);
    const open = await site.open(options);
    const { json } = await retitle(open, 'One');
    for (const address of [`/api/content/_jobs/${json.meta.job.id}`, `/jsonapi/_jobs/${json.meta.job.id}`]) {
      const readJob = async (as: 'jane' | 'tom' | 'admin' | null) => {
        const { status, json: document } = await open.send('GET', address, undefined, as);
        return [status, (document.error ?? document.errors?.[0])?.detail];
      };
      expect(await readJob('jane')).toEqual([200, undefined]);
      expect(await readJob('admin')).toEqual([200, undefined]);
      const nothing = [404, `Job '${json.meta.job.id}' does not exist, or you may not see it.`];
      expect(await readJob('tom')).toEqual(nothing);
      expect(await readJob(null)).toEqual(nothing);
      expect((await open.send('OPTIONS', address, undefined, 'tom')).status).toBe(404);
      expect((await open.send('DELETE', address)).status).toBe(405);
      expect((await open.send('GET', `${address}?x=1`)).status).toBe(400);
    }
    for (const id of ['0', 'x'.repeat(24), '..%2f..%2fHEAD', '%00']) {
      expect((await open.send('GET', `/api/content/_jobs/${id}`)).status).toBe(404);
    }
  });

  it('keeps finished and pending jobs after a restart', async () => {
    site = await createGitSite(FILES);
    const first = await site.open(options);
    const done = (await retitle(first, 'One')).json.meta.job.id;
    await settled(first, `/api/content/_jobs/${done}`);
    site.git('checkout', '-q', '--detach');
    const waits = (await retitle(first, 'Two')).json.meta.job.id;
    await first.close();
    const second = await site.open(options);
    const read = async (id: string) => (await second.send('GET', `/api/content/_jobs/${id}`)).json.data;
    expect((await read(done)).status).toBe('committed');
    await eventually(async () =>
      expect(await read(waits)).toMatchObject({
        status: 'pending',
        detail: expect.stringContaining('detached'),
      }),
    );
    site.git('checkout', '-q', 'main');
    await settled(second, `/api/content/_jobs/${waits}`);
    expect(countOf()).toBe(3);
  });

  it('finishes the jobs of a server that was killed after its commits', async () => {
    site = await createGitSite(FILES);
    site.git('checkout', '-q', '--detach');
    const first = await site.open(options);
    const ids: string[] = [];
    for (const title of ['One', 'Two', 'Three']) ids.push((await retitle(first, title)).json.meta.job.id);
    const [folder = ''] = readdirSync(path.join(site.root, '.git/astro-jsonapi'));
    const journal = path.join(site.root, '.git/astro-jsonapi', folder);
    cpSync(path.join(journal, 'pending'), path.join(journal, 'copy'), { recursive: true });
    site.git('checkout', '-q', 'main');
    await commits(4);
    const done = await Promise.all(ids.map((id) => settled(first, `/api/content/_jobs/${id}`)));
    await first.close();

    // The state after a kill between the move of the branch and the end of the batch.
    rmSync(path.join(journal, 'done'), { recursive: true });
    rmSync(path.join(journal, 'pending'), { recursive: true });
    renameSync(path.join(journal, 'copy'), path.join(journal, 'pending'));
    const records = ids.map((id, index) => ({
      ...{ id, account: 'jane', at: 0, doneAt: 1, branch: 'main', commit: done[index].data.commit },
    }));
    const batch = { lockingSince: 1, tip: log('%H'), ref: 'refs/heads/main', done: records };
    writeFileSync(path.join(journal, 'batch.json'), JSON.stringify(batch));
    const second = await site.open(options);
    for (const [index, id] of ids.entries()) {
      const { data } = await settled(second, `/api/content/_jobs/${id}`);
      expect(data).toMatchObject({ status: 'committed', commit: done[index].data.commit, detail: null });
    }
    expect(countOf()).toBe(4);
    expect(status()).toBe('');
    expect(second.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it('has a valid OpenAPI description', async () => {
    site = await createGitSite(FILES);
    const open = await site.open(options);
    const description = (await open.send('GET', '/jsonapi/openapi.json')).json;
    expect(await new Validator().validate(description)).toEqual({ valid: true });
    expect(Object.keys(description.paths['/api/content/articles/{id}'].delete.responses)).toContain('202');
    expect(description.paths['/jsonapi/_jobs/{id}'].get.operationId).toBe('get-job');
  });
});
