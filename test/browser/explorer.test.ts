import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import { type ExampleSite, startExampleSite } from './example-site.ts';
import { faintTexts, namelessControls } from './page-checks.ts';
import { useTab } from './tab.ts';

describeInBrowser('the query explorer in a browser', async () => {
  const { page } = await useTab();
  let server: ExampleSite;
  let files: ExampleSite;

  beforeAll(async () => {
    [server, files] = await Promise.all([startExampleSite('server'), startExampleSite('snapshot', '/docs')]);
  });
  afterAll(async () => {
    await Promise.all([server?.close(), files?.close()]);
  });

  /** Opens the explorer at a hash, and waits for its first response. */
  async function open(hash = '', width = 1440, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    await openUrl(`${server.origin}/jsonapi-explorer${hash}`, width, colorScheme);
  }
  async function openUrl(url: string, width = 1440, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    // Without this step, another hash does not load the page again.
    await page.goto('about:blank');
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(url);
    await page.waitForFunction(() => document.getElementById('count')?.textContent !== '');
  }
  const url = (): Promise<string> => page.locator('#url').inputValue();
  const code = (): Promise<string> => page.getByLabel('Build-time call', { exact: true }).innerText();
  async function responded(text: string): Promise<void> {
    await page.getByRole('status').getByText(text, { exact: true }).waitFor();
  }

  test('has no search box if the search is off, unless the URL has a search', async () => {
    const site = await startExampleSite('server', '', { fulltext: false });
    await openUrl(`${site.origin}/jsonapi-explorer`);
    expect(await page.getByRole('searchbox').count()).toBe(0);
    await openUrl(`${site.origin}/jsonapi-explorer#/node/article?filter[fulltext]=engines`);
    expect(await page.getByRole('searchbox').inputValue()).toBe('engines');
    await site.close();
    await open();
    expect(await page.getByRole('searchbox').count()).toBe(1);
  });

  test('opens with a table of the largest bundle', async () => {
    await open();
    await page.getByRole('cell', { name: 'Article 1 <b>on</b> engines' }).waitFor();
    await responded('58 entities, 50 shown');
    expect(await url()).toBe('/jsonapi/node/article');
    await page.getByText('200 OK').waitFor();
    await page.getByText('round trip').waitFor();
    await page.locator('#facts').getByText('execute').waitFor();
  });

  test('says why a search has found each entity', async () => {
    await open();
    await page.getByRole('searchbox').fill('compilrs');
    await page.getByLabel('Kind of search').selectOption('Also parts and typos');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('tab', { name: 'Why this result?' }).click();
    await page.getByRole('listitem').filter({ hasText: 'compilrs with a typo, as compilers' }).waitFor();
    const [first] = await page.getByRole('list', { name: 'Results' }).getByRole('listitem').all();
    expect(await first!.locator('mark').allInnerTexts()).toContain('compilers');
    expect(await first!.innerText()).toMatch(/title × 10|body × 1/);
    await page.getByText('search.boost: node--article × (1 + 1 × 0.5age / 180 days)').waitFor();
    expect(await page.evaluate(namelessControls)).toEqual([]);
    await page.getByLabel('Kind of search').selectOption('Related to an entity');
    await page.getByRole('searchbox').fill('article-06');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('tab', { name: 'Why this result?' }).waitFor({ state: 'detached' });
    expect(await url()).toBe(
      '/jsonapi/node/article?filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=article-06',
    );
  });

  test('builds and runs a query with the keyboard', async () => {
    await open();
    await page.getByLabel('Bundle').focus();
    await page.keyboard.press('Tab');
    // Skips the search box and the kind of search.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('auth');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('tit');
    await page.keyboard.press('Enter');
    expect(await url()).toBe('/jsonapi/node/article');
    await page.keyboard.press('Tab');
    await page.keyboard.type('CONT');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ada');
    await page.keyboard.press('Control+Enter');
    await responded('29 entities');
    expect(await url()).toBe(
      '/jsonapi/node/article?filter[field_author.title][operator]=CONTAINS&filter[field_author.title][value]=ada',
    );
    expect(await code()).toBe(`await entities('article')
  .where('field_author.title', 'CONTAINS', 'ada')
  .all()`);
    expect(new URL(page.url()).hash).toContain('filter[field_author.title]');
    await page.goBack();
    await responded('58 entities, 50 shown');
  });

  test('highlights the first suggestion, and Enter leaves a value alone that was not edited', async () => {
    await open('#/node/article?sort=-field_rating');
    const field = page.getByRole('combobox', { name: 'Sort field 1' });
    await field.fill('');
    await page.keyboard.type('p');
    expect(await page.locator('.suggestion').first().innerText()).toContain('path.');
    await page.keyboard.press('Escape');
    await field.fill('ri');
    await page.getByRole('option', { name: 'field_price' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('field_price');
    await field.click();
    await page.getByRole('option', { name: 'title' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.suggestion').first().waitFor({ state: 'hidden' });
    expect(await field.inputValue()).toBe('field_price');
    await page.keyboard.press('Enter');
    await responded('58 entities, 50 shown');
    expect(await url()).toBe('/jsonapi/node/article?sort=-field_price');
  });

  test('nests groups, and has an input for each kind of value', async () => {
    await open();
    await page.getByRole('button', { name: '+ Group' }).click();
    await page.keyboard.type('field_day');
    await page.keyboard.press('Enter');
    const conditions = page.getByRole('group', { name: 'Condition' });
    await conditions.first().getByLabel('Operator').selectOption('BETWEEN');
    await conditions.first().getByLabel('From').fill('2024-01-01');
    await conditions.first().getByLabel('To', { exact: true }).fill('2024-02-28');
    const second = conditions.nth(1);
    await second.getByRole('combobox', { name: 'Field' }).fill('field_featured');
    expect(await second.getByLabel('Value').getAttribute('type')).toBe('checkbox');
    expect(await conditions.first().getByLabel('From').getAttribute('type')).toBe('date');
    await page.getByRole('button', { name: '+ Condition' }).last().click();
    const third = conditions.nth(2);
    await third.getByRole('combobox', { name: 'Field' }).fill('field_rating');
    await third.getByLabel('Operator').selectOption('IN');
    await third.getByLabel('Value 1').fill('2');
    await third.getByLabel('Value 1').press('Enter');
    await page.keyboard.type('3');
    await page.getByRole('button', { name: 'Run' }).click();
    await responded('4 entities');
    expect(await code()).toContain("or(\n      where('field_day', 'BETWEEN', ['2024-01-01', '2024-02-28']),");
    expect(await code()).toContain("  .where('field_rating', 'IN', [2, 3])");
  });

  test('sorts, includes, selects fields and pages', async () => {
    await open();
    await page.getByRole('button', { name: '+ Sort key' }).click();
    await page.keyboard.type('field_day');
    await page.keyboard.press('Enter');
    await page.getByLabel('Direction').selectOption('DESC');
    await page.getByRole('checkbox', { name: /^field_author/ }).check();
    await page
      .getByRole('checkbox', { name: /^field_boss/ })
      .first()
      .check();
    await page.locator('summary').filter({ hasText: 'person' }).click();
    await page.getByRole('checkbox', { name: 'field_email' }).check();
    await page.getByLabel('Limit', { exact: true }).fill('7');
    await page.keyboard.press('Enter');
    await responded('58 entities, 7 shown');
    expect(await url()).toBe(
      '/jsonapi/node/article?sort=-field_day&include=field_author.field_boss&fields[node--person]=field_email&page[limit]=7',
    );
    await page.getByRole('link', { name: 'Next ›' }).click();
    await page.getByRole('link', { name: '‹ Previous' }).waitFor();
    expect(await page.getByLabel('Offset', { exact: true }).inputValue()).toBe('7');
  });

  test('reads a pasted URL into the form, and lists parameters that do not fit', async () => {
    await open();
    await page
      .locator('#url')
      .fill(`${server.origin}/jsonapi/node/person?filter[title]=Ada%20Lovelace&page[nope]=3`);
    await page.getByText('The API ignores this parameter.').waitFor();
    expect(await page.getByLabel('Bundle').inputValue()).toBe('node--person');
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('Ada Lovelace');
    await page.keyboard.press('Enter');
    await responded('1 entity');
    await page.getByText('Ignored: page[nope].').waitFor();
    await page.locator('#url').fill('https://elsewhere.test/node/person');
    await page.getByText(`Only URLs below ${server.origin}/jsonapi can be run here.`).waitFor();
  });

  test('shows an error at the input that caused it', async () => {
    await open('#/node/article?filter[field_day][operator]=%3E&filter[field_day][value]=soon');
    await responded('Request failed');
    await page.getByRole('alert').getByText('400 Bad Request').waitFor();
    const value = page.getByRole('group', { name: 'Condition' }).getByLabel('Value');
    await expect.poll(() => value.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Go to the input' }).click();
    await expect.poll(() => value.evaluate((input) => input === document.activeElement)).toBe(true);
  });

  test('shows an error in the URL below it', async () => {
    await open('#/node/article?filter[field_day][operator]=BETWEN&filter[field_day][value]=1');
    const problems = page.locator('#url-problems');
    await problems.getByText("filter[field_day][operator] There is no operator 'BETWEN'.").waitFor();
  });

  test('shows the response as JSON, as a table and with its plan, and markup as text', async () => {
    await open('#/node/article?page[limit]=3');
    await page.getByText('"Article 1 <b>on</b> engines"').waitFor();
    expect(await page.locator('#view-json b').count()).toBe(0);
    await page.getByRole('button', { name: 'Fold', exact: true }).click();
    await page.getByText('node--article article-01').first().waitFor();
    await page.getByRole('tab', { name: 'JSON' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('cell', { name: 'Article 1 <b>on</b> engines' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#table/node/article?page[limit]=3');
    await page.keyboard.press('ArrowRight');
    await page.locator('#view-plan').getByText('node--article: 58 of 58 rows').waitFor();
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.getByRole('link', { name: 'article-02' }).click();
    await responded('1 entity');
    expect(await url()).toBe('/jsonapi/node/article/article-02');
  });

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [360, 'light'],
    [360, 'dark'],
  ] as const)(
    'fits %i pixels, %s: no sideways scrolling, readable text, a name for every control',
    async (width, scheme) => {
      const group =
        'filter[g][group][conjunction]=OR&filter[a][condition][path]=title&filter[a][condition][operator]=IN&filter[a][condition][value][]=x' +
        '&filter[a][condition][value][]=y&filter[a][condition][memberOf]=g&filter[b][condition][path]=field_day&filter[b][condition][value]=2024-01-15' +
        '&filter[b][condition][memberOf]=g&filter[nope]=1&sort=-field_day,title&include=field_author';
      await open(`#/node/article?${group}`, width, scheme);
      await page.getByRole('alert').getByText('400').waitFor();
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(await page.evaluate(faintTexts)).toEqual([]);
      expect(await page.evaluate(namelessControls)).toEqual([]);
    },
  );

  test('answers queries of a static site from its snapshot, under a strict security policy: form, JSON, table, entities, related and errors', async () => {
    await openUrl(`${files.origin}/docs/jsonapi-explorer`);
    await responded('58 entities, 50 shown');
    await page.getByText('static site', { exact: true }).waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['JSON', 'Table']);
    await page.getByRole('searchbox').fill('compilers');
    await page.getByLabel('Limit', { exact: true }).fill('3');
    await page.locator('#facets').fill('field_author');
    await page.getByRole('button', { name: 'Run' }).click();
    await responded('38 entities, 3 shown');
    expect(await url()).toContain('/docs/jsonapi/node/article?filter[fulltext]=compilers');
    expect(await page.getByLabel('Browser', { exact: true }).innerText()).toContain(
      "createFetch({ base: '/docs/jsonapi' })",
    );
    expect(await page.getByRole('link', { name: 'Open' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Next ›' }).click();
    await page.getByRole('link', { name: '‹ Previous' }).waitFor();
    await page.getByRole('link', { name: 'article-06' }).click();
    await responded('1 entity');
    await openUrl(`${files.origin}/docs/jsonapi-explorer#/node/article/article-01/field_author`);
    await page.getByText('"Ada Lovelace"').waitFor();
    await openUrl(`${files.origin}/docs/jsonapi-explorer#/node/article?filter[field_day]=soon`);
    await page.getByRole('alert').getByText('400 Bad Request').waitFor();
    const value = page.getByRole('group', { name: 'Condition' }).getByLabel('Value');
    await expect.poll(() => value.getAttribute('aria-invalid')).toBe('true');
  });

  test('has the listed queries of a static site in the form and as files', async () => {
    await openUrl(`${files.origin}/docs/jsonapi-explorer#/node/person`);
    await page.getByText('Listed queries').click();
    await page.getByRole('link', { name: 'by-ada', exact: true }).click();
    await responded('29 entities');
    expect(await url()).toBe('/docs/jsonapi/node/article?filter[field_author.title]=Ada%20Lovelace');
    await page.locator('#url').fill('/docs/jsonapi/q/latest.json');
    await page.keyboard.press('Enter');
    await responded('58 entities, 5 shown');
    expect(await page.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(
      '/docs/jsonapi/q/latest.json',
    );
    expect(await page.locator('#url-problems').innerText()).toBe('');
  });

  test('reports a snapshot that is missing, and answers as soon as it is there', async () => {
    const snapshot = [...(files.files ?? [])].filter(([name]) => name.startsWith('jsonapi/snapshot/'));
    for (const [name] of snapshot) files.files?.delete(name);
    await openUrl(`${files.origin}/docs/jsonapi-explorer#/node/article`);
    await page.getByRole('alert').getByText('503 Service Unavailable').waitFor();
    await page.getByRole('alert').getByText('manifest.json').waitFor();
    for (const [name, bytes] of snapshot) files.files?.set(name, bytes);
    await page.getByRole('button', { name: 'Run' }).click();
    await responded('58 entities, 50 shown');
  });

  test('runs the listed queries of a static site without a snapshot, and explains how to get one', async () => {
    const site = await startExampleSite('files', '/docs');
    await openUrl(`${site.origin}/docs/jsonapi-explorer`);
    await page.getByText('remove queries: false from the option static').waitFor();
    await responded('58 entities, 5 shown');
    await page.getByRole('link', { name: 'by-ada', exact: true }).click();
    await responded('29 entities');
    expect(await url()).toBe('/docs/jsonapi/q/by-ada.json');
    expect(await code()).toContain("where('field_author.title', '=', 'Ada Lovelace')");
    expect(await page.getByRole('link', { name: 'by-ada.json' }).getAttribute('href')).toBe(
      '/docs/jsonapi/q/by-ada.json',
    );
    await page.getByRole('link', { name: 'node--person' }).click();
    await responded('2 entities');
    await page.getByRole('tab', { name: 'Table' }).click();
    await page.getByRole('link', { name: 'grace' }).click();
    await responded('1 entity');
    await page.getByRole('link', { name: '/docs/jsonapi', exact: true }).click();
    await responded('Response');
    await site.close();
  });
});
