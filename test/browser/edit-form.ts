import type { Browser, Page } from 'playwright-core';
import { isPresence } from './page-checks.ts';
import type { WritableSite } from './writable-site.ts';

/** The edit form of the admin in one page, for an administrator. */
export interface EditForm {
  readonly page: Page;
  /** The requests that change something, such as `PATCH http://…`. */
  readonly writes: readonly string[];
  /** Every entity of the site, and every further translation of it. */
  list(): Promise<readonly Listed[]>;
  /** Shows the form of an entity without loading the application again. */
  open(entity: Listed): Promise<void>;
  /** Saves a form without changes. */
  saveUnchanged(): Promise<void>;
  /** Saves a changed form. */
  save(): Promise<void>;
  /** Types at the end of a line of the text; beyond the last line, at the end. */
  typeInBody(line: number, typed: string): Promise<void>;
}

/** An entity, or a translation of it. */
export interface Listed {
  readonly entityType: string;
  readonly bundle: string;
  readonly id: string;
  readonly language?: string | undefined;
}

export async function openEditForm(browser: Browser, site: WritableSite): Promise<EditForm> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([await site.signIn('ada')]);
  const page = await context.newPage();
  const writes: string[] = [];
  page.on('request', (request) => {
    if (!['GET', 'OPTIONS'].includes(request.method()) && !isPresence(request))
      writes.push(`${request.method()} ${request.url()}`);
  });
  await page.goto(`${site.origin}/admin`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return {
    page,
    writes,
    list: () => listEntities(page, site.origin),
    async open({ entityType, bundle, id, language }) {
      const query = language === undefined ? '' : `?lang=${language}`;
      await page.evaluate((address) => {
        history.pushState(null, '', address);
        dispatchEvent(new PopStateEvent('popstate'));
      }, `/admin/edit/${entityType}/${bundle}/${id}${query}`);
      // The id is among the technical details, which are closed.
      await page.locator('aside').getByText(id, { exact: true }).waitFor({ state: 'attached' });
    },
    async saveUnchanged() {
      await page.keyboard.press('Control+s');
      await page.getByText('Nothing has changed, so nothing was saved.').last().waitFor();
      await page.getByRole('button', { name: 'Close' }).last().click();
    },
    async save() {
      await page.getByText('Unsaved changes', { exact: true }).waitFor();
      await page.keyboard.press('Control+s');
      await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' });
    },
    async typeInBody(line, typed) {
      await page.getByRole('textbox', { name: 'Text', exact: true }).focus();
      await page.keyboard.press('Control+Home');
      for (let at = 0; at < line; at++) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      await page.keyboard.type(typed);
    },
  };
}

/** The part of a text that is replaced by another one: `{from, to}` as a change at one place. */
export function changeBetween(before: string, after: string): { readonly from: string; readonly to: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: before.slice(start, before.length - end), to: after.slice(start, after.length - end) };
}

async function listEntities(page: Page, origin: string): Promise<readonly Listed[]> {
  const read = async (path: string) => (await page.request.get(origin + path)).json();
  const { types } = await read('/jsonapi-explorer/schema.json');
  const lists = types.map(async ({ entityType, bundle }: Listed) => {
    const { data } = await read(`/jsonapi/${entityType}/${bundle}?page[limit]=0`);
    return data.flatMap(({ id, attributes, meta }: ListedResource): Listed[] => [
      { entityType, bundle, id },
      ...Object.keys(meta.translations ?? {})
        .filter((language) => language !== attributes.langcode)
        .map((language) => ({ entityType, bundle, id, language })),
    ]);
  });
  return (await Promise.all(lists)).flat();
}

interface ListedResource {
  readonly id: string;
  readonly attributes: { readonly langcode: string };
  readonly meta: { readonly translations?: Readonly<Record<string, unknown>> };
}
