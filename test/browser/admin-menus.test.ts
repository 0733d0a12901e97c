import { beforeAll, beforeEach, expect, test } from 'vitest';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { defineSchema, reference, untranslated, z } from '../../integration/schema.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { isPresence } from './page-checks.ts';
import { useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

const MENU = 'menu_link_content--main';
const CONTENT = {
  [`${MENU}/home.yaml`]: '# First\ntitle: Home\nurl: /\nweight: 0\n',
  [`${MENU}/about.yaml`]: 'title: About\nurl: /about\nweight: 1\n',
  [`${MENU}/about.de.yaml`]: 'title: Über uns\nurl: /ueber\n',
  [`${MENU}/team.yaml`]: 'title: Team\nurl: /team\nweight: 0\nparent: about\n',
  [`${MENU}/contact.yaml`]: 'title: Contact\nurl: /contact\nweight: 2\n',
  'page/events.md': '---\ntitle: All events\npath: /events\n---\n',
  'tag/land.md': '---\ntitle: Land\nfield_weight: 1\n---\n',
  'tag/sea.md': '---\ntitle: Sea\nfield_weight: 0\n---\n',
};
const SCHEMA = defineSchema({
  page: {},
  tag: {
    field_parent: untranslated(reference('tag').nullish()),
    field_weight: untranslated(z.int().default(0)),
  },
  [MENU]: {
    url: z.string(),
    weight: untranslated(z.int().default(0)),
    parent: untranslated(z.string().nullish()),
    enabled: untranslated(z.boolean().nullish()),
  },
});

describeInBrowser('menus in the admin', async () => {
  const tab = await useTab();
  const { page } = tab;
  let site: WritableSite;
  const requests: string[] = [];

  beforeAll(async () => {
    page.on('request', (request) => {
      const isChange = !['GET', 'OPTIONS'].includes(request.method()) && !isPresence(request);
      if (isChange) requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
  });
  beforeEach(async () => {
    site = await startWritableSite({
      content: CONTENT,
      schema: SCHEMA,
      languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
    });
  });

  async function open(address = '/menus', name = 'ada'): Promise<void> {
    requests.length = 0;
    await tab.open(site, `/admin${address}`, name);
    await page.locator('main li[style]').first().waitFor();
  }
  const handle = (title: string) => page.getByRole('button', { name: `Move “${title}”` });
  /** Such as `>Team` for a link on the second level. */
  const rows = () =>
    page.locator('main li[style]').evaluateAll((all) =>
      all.map((row) => {
        const depth = Number((row as HTMLElement).style.getPropertyValue('--depth'));
        return '>'.repeat(depth) + row.querySelector('.title > :not(.hidden)')?.textContent;
      }),
    );
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const notice = (text: string | RegExp) => page.locator('.notices').getByText(text).waitFor();
  const announced = (text: string) => page.locator('main [aria-live=assertive]').getByText(text).waitFor();

  test('shows a menu as a tree, which the navigation names', async () => {
    await open();
    expect(await rows()).toEqual(['Home', 'About', '>Team', 'Contact']);
    const navigation = page.getByRole('navigation', { name: 'Menu', exact: true });
    expect(await navigation.getByRole('link', { name: 'Menus' }).getAttribute('aria-current')).toBe('page');
    expect(await navigation.getByText('menu link').count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Main menu');
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('moves links with Alt and arrow keys, and saves only those that changed, in one request', async () => {
    await open();
    await handle('Contact').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await announced('“Contact” is now 2 of 3 at the top level.');
    await page.keyboard.press('Alt+ArrowRight');
    await announced('“Contact” is now 1 of 1 below “Home”.');
    expect(await handle('Contact').evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Alt+ArrowUp');
    await announced('“Contact” cannot go there.');
    await page.keyboard.press('Alt+ArrowLeft');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowRight');
    await announced('“Contact” is now 2 of 2 below “About”.');
    expect(await rows()).toEqual(['Home', 'About', '>Team', '>Contact']);
    expect(await axeViolations(page)).toEqual([]);
    expect(requests).toEqual([]);
    await page.keyboard.press('Control+s');
    await notice('The order is saved. 1 entry changed.');
    expect(requests).toEqual(['POST /jsonapi/operations']);
    expect(await site.read(`${MENU}/contact.yaml`)).toBe(
      'title: Contact\nurl: /contact\nweight: 1\nparent: about\n',
    );
    for (const id of ['home', 'about', 'team'] as const) {
      expect(await site.read(`${MENU}/${id}.yaml`)).toBe(CONTENT[`${MENU}/${id}.yaml`]);
    }
  });

  test('moves a link with everything below it with the mouse', async () => {
    await open();
    const from = await handle('About').boundingBox();
    const to = await handle('Home').boundingBox();
    if (from === null || to === null) throw new Error('The rows have no place.');
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 8, from.y - 10);
    await page.mouse.move(to.x + 8, to.y - 10);
    await page.mouse.up();
    expect(await rows()).toEqual(['About', '>Team', 'Home', 'Contact']);
    await announced('“About” is now 1 of 3 at the top level.');
    const [home] = [await handle('Home').boundingBox()];
    if (home === null) throw new Error('The row has no place.');
    await page.mouse.move(home.x + 8, home.y + 8);
    await page.mouse.down();
    await page.mouse.move(home.x + 40, home.y + 8, { steps: 3 });
    await page.mouse.up();
    expect(await rows()).toEqual(['About', '>Team', '>Home', 'Contact']);
    await button('Discard them').click();
    expect(await rows()).toEqual(['Home', 'About', '>Team', 'Contact']);
  });

  test('merges with changes of others, and refuses if they have moved the same link', async () => {
    await open();
    await handle('Contact').focus();
    await page.keyboard.press('Alt+ArrowUp');
    const patch = (attributes: object) =>
      page.evaluate(async (changed) => {
        const response = await fetch('/jsonapi/menu_link_content/main/contact', {
          method: 'PATCH',
          headers: { 'content-type': 'application/vnd.api+json' },
          body: JSON.stringify({
            data: { type: 'menu_link_content--main', id: 'contact', attributes: changed },
          }),
        });
        return response.status;
      }, attributes);
    expect(await patch({ title: 'Write to us' })).toBe(200);
    const before = await site.read(`${MENU}/about.yaml`);
    await button('Save order').click();
    await notice(/^The order is saved\./);
    expect(await rows()).toEqual(['Home', 'Write to us', 'About', '>Team']);
    expect(await site.read(`${MENU}/contact.yaml`)).toContain('Write to us');
    expect(before).toBe(CONTENT[`${MENU}/about.yaml`]);

    await handle('Write to us').focus();
    await page.keyboard.press('Alt+ArrowUp');
    expect(await patch({ parent: 'about' })).toBe(200);
    await button('Save order').click();
    await page
      .getByRole('alert')
      .getByText('someone else has changed the order meanwhile: “Write to us”')
      .waitFor();
    expect(await rows()).toContain('>Write to us');
    expect(await axeViolations(page)).toEqual([]);
  });

  test('adds, changes, hides and deletes links', async () => {
    await open();
    await button('Add link').click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Events');
    await page.getByRole('combobox', { name: 'Address' }).fill('all ev');
    await page.getByRole('option', { name: /All events/ }).click();
    expect(await page.getByRole('combobox', { name: 'Address' }).inputValue()).toBe('/events');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await handle('Events').waitFor();
    expect(await site.read(`${MENU}/events.yaml`)).toMatch(
      /title: Events\n(?:.*\n)*url: \/events\nweight: 3\n/,
    );

    await button('Edit “Events”').click();
    await page.getByRole('checkbox', { name: 'Visible in the menu' }).uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Hidden', { exact: true }).waitFor();
    expect(await site.read(`${MENU}/events.yaml`)).toContain('enabled: false');

    await button('Delete “About”').click();
    await notice('There are entries below “About”. Move or delete these first.');
    await button('Delete “Events”').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await notice('“Events” is deleted.');
    await expect.poll(rows).toEqual(['Home', 'About', '>Team', 'Contact']);
  });

  test('changes the titles of each language', async () => {
    await open();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByText('Über uns').waitFor();
    expect(await page.getByText('Missing').count()).toBe(3);
    await button('Edit “Home”').click();
    await page.getByText('This link has no translation into German yet.', { exact: false }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Start');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await handle('Start').waitFor();
    expect(await site.read(`${MENU}/home.de.yaml`)).toContain('title: Start');
    expect(await site.read(`${MENU}/home.yaml`)).toBe(CONTENT[`${MENU}/home.yaml`]);
    await handle('Über uns').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await button('Save order').click();
    await notice(/^The order is saved\./);
    expect(await site.read(`${MENU}/about.de.yaml`)).toBe(CONTENT[`${MENU}/about.de.yaml`]);
    expect(await site.read(`${MENU}/about.yaml`)).not.toBe(CONTENT[`${MENU}/about.yaml`]);
  });

  test('arranges terms with a parent and a weight too', async () => {
    await open('/menus/node/tag');
    expect(await rows()).toEqual(['Sea', 'Land']);
    await handle('Land').focus();
    await page.keyboard.press('Alt+ArrowRight');
    await button('Save order').click();
    await notice('The order is saved. 1 entry changed.');
    expect(await site.read('tag/land.md')).toContain('field_parent: sea');
    await tab.open(site, '/admin/content?type=node--tag', 'ada');
    expect(await page.getByRole('link', { name: 'Arrange' }).getAttribute('href')).toBe(
      '/admin/menus/node/tag',
    );
  });

  test('offers no changes to accounts that may only read', async () => {
    await open('/menus', 'eve');
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  });
});
