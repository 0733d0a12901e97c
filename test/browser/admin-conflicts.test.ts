import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createRepository, type TestRepository } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const MOON = '---\ntitle: The moon\nfield_rating: 3\n---\nRises late.\n';

describeInBrowser('conflicts of two servers', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;
  let repository: TestRepository;

  async function start(): Promise<void> {
    repository = createRepository();
    repository.commit({ 'article/moon.md': MOON, 'article/sea.md': '---\ntitle: The sea\n---\n' });
    const bare = join(temporaryFolder(), 'site.git');
    repository.git('clone', '-q', '--bare', '.', bare);
    repository.git('remote', 'add', 'origin', bare);
    site = await startWritableSite({ repository, git: { push: true, pull: true } });
    await tab.open(site, '/admin', 'ada');
    await page.waitForLoadState('networkidle');
  }

  /** Another person pushes the file while the server pushes its next change. */
  function pushMeanwhile(text: string): void {
    const other = join(temporaryFolder(), 'other');
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], {
        cwd: other,
      });
    repository.git('clone', '-q', repository.git('remote', 'get-url', 'origin'), other);
    writeFileSync(join(other, 'content/article/moon.md'), text);
    git('commit', '-q', '-a', '-m', 'By hand');
    const hook = join(repository.folder, '.git/hooks/pre-push');
    writeFileSync(hook, `#!/bin/sh\nrm "${hook}"\nunset GIT_DIR\ngit -C "${other}" push -q origin main\n`);
    chmodSync(hook, 0o755);
  }

  const patch = (attributes: object) =>
    page.evaluate(async (sent) => {
      const csrf = (await (await fetch('/jsonapi/_me')).json()).data.attributes.csrf;
      const response = await fetch('/jsonapi/node/article/moon', {
        method: 'PATCH',
        headers: { 'content-type': 'application/vnd.api+json', 'x-csrf-token': csrf },
        body: JSON.stringify({ data: { type: 'node--article', id: 'moon', attributes: sent } }),
      });
      return response.status;
    }, attributes);

  const card = () => page.getByRole('article', { name: 'moon' });

  test('are announced on the start page, and decided field by field with the keyboard', async () => {
    await start();
    pushMeanwhile('---\ntitle: The full moon\nfield_rating: 5\n---\nRises early.\n');
    const body = { value: 'Rises at noon.' };
    expect(await patch({ title: 'The new moon', field_rating: 1, body })).toBe(412);
    await page.reload();
    const notice = page.getByRole('region', { name: 'Conflicts' });
    await notice.getByText('1', { exact: true }).waitFor();
    await notice.getByRole('link', { name: 'Compare and decide' }).click();
    await page.waitForURL(/\/admin\/conflicts$/);
    await card().getByText('Change by ada', { exact: false }).waitFor();
    const title = card().getByRole('group', { name: 'Title' });
    expect(await title.innerText()).toMatch(/The full moon.*The new moon/s);
    expect(await card().getByRole('button').isDisabled()).toBe(true);
    await title.getByRole('radio', { name: 'Keep what is on the site' }).focus();
    await page.keyboard.press('ArrowDown');
    expect(await title.getByRole('radio', { name: 'Use the other value' }).isChecked()).toBe(true);
    await card().getByRole('group', { name: 'Rating' }).getByText('Keep what is on the site').click();
    await card().getByRole('button', { name: 'Apply 2 decisions' }).press('Enter');
    await page.getByText('is saved.', { exact: false }).first().waitFor();
    await eventually(async () => expect(await card().getByRole('group').count()).toBe(1));
    expect(await site.read('article/moon.md')).toBe(
      '---\ntitle: The new moon\nfield_rating: 5\n---\nRises early.\n',
    );
    await card().getByRole('group', { name: 'Text' }).getByText('Use the other value').click();
    await card().getByRole('button').click();
    await page.getByText('There are no conflicts.').waitFor();
    expect(await site.read('article/moon.md')).toContain('Rises at noon.');
  });

  test('of a form are decided in the form, and are then not listed', async () => {
    await start();
    await page.goto(`${site.origin}/admin/edit/node/article/moon`);
    await page.getByRole('textbox', { name: 'Title' }).fill('The new moon');
    pushMeanwhile(MOON.replace('The moon', 'The full moon'));
    await page.keyboard.press('Control+s');
    await page.getByText('The full moon').first().waitFor();
    await page.getByText('Keep mine').click();
    await page.keyboard.press('Control+s');
    await page.getByText('is saved.', { exact: false }).first().waitFor();
    expect(await site.read('article/moon.md')).toContain('title: The new moon');
    await eventually(async () => {
      await page.goto(`${site.origin}/admin/conflicts`);
      await page.getByText('There are no conflicts.').waitFor({ timeout: 2000 });
    });
  });

  test('fit into 390 px and have no faults for axe, in light and dark', async () => {
    await start();
    pushMeanwhile(MOON.replace('The moon', 'The full moon').replace('late', 'early'));
    expect(await patch({ title: 'The new moon', body: { value: 'Rises at noon.' } })).toBe(412);
    await page.goto(`${site.origin}/admin/conflicts`);
    await card().waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        if (process.env.PICTURES) {
          await page.screenshot({
            path: join(process.env.PICTURES, `conflicts-${width}-${colorScheme}.png`),
            fullPage: true,
          });
        }
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await axeViolations(page)).toEqual([]);
    }
  });
});
