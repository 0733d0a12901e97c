import { afterEach, describe, expect, it, vi } from 'vitest';
import { type GitSite, gitSite } from '../../git-site.ts';

const FILES = {
  'article/moon.md': '---\ntitle: The moon # by heart\nfield_author: jane\n---\nRises *late*.\n',
  'article/tides.md': '---\ntitle: Tides\nfield_author: jane\n---\n',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
};

describe('with option git, a change', () => {
  let site: GitSite;
  afterEach(async () => site.remove());

  const commits = (count: number) =>
    vi.waitFor(() => expect(site.git('rev-list', '--count', 'HEAD')).toBe(String(count)), 5000);
  const log = (format: string, ...more: string[]) => site.git('log', '-1', `--format=${format}`, ...more);

  it('becomes a commit of its file alone, by the account that made it', async () => {
    site = await gitSite(FILES);
    const { send } = await site.open();
    const { status } = await send('PATCH', '/api/content/articles/moon', { title: 'New moon' });
    expect(status).toBe(201);
    await commits(2);
    expect(log('%an <%ae> %cn <%ce>%n%B')).toBe(
      'Jane Low <jane@example.org> The site <site@example.org>\nUpdate article "New moon"',
    );
    expect(site.git('show', '--format=', '--stat')).toMatch(/content\/article\/moon.md/);
    expect(site.git('status', '--porcelain')).toBe('');
  });
});
