import type { BrowserContext, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { createRandom } from '../support/random.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { isPresence } from './page-checks.ts';
import type { WritableSite } from './writable-site.ts';

/** The texts that each of the two tabs changes. */
const FIELDS = [
  ['Title', 'Words 1'],
  ['Summary', 'Words 2'],
] as const;

/**
 * Two tabs edit one entry while pages reload and close, the connection fails and the session ends. At the end, the last
 * text of each field is stored, in the form, or one of the versions among which conflicts ask. Throws if one is lost. Closes all
 * pages of the context, and removes the data that they stored.
 */
export async function walkWithUnsentChanges(
  context: BrowserContext,
  site: WritableSite,
  { seed, steps }: { readonly seed: number; readonly steps: number },
): Promise<void> {
  const random = createRandom(seed);
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  await clear(context, site);
  /** A page that is loaded without a session is the sign-in page. */
  const session = await site.signIn('ada');
  const signIn = () => context.addCookies([session]);
  await signIn();
  const address = `${site.origin}/admin/edit/node/article/moon`;
  const tabs = await Promise.all([openForm(context, address), openForm(context, address)]);
  const typed = new Map<string, string>();
  const log: string[] = [];
  let isOffline = false;

  const actions: Record<string, (tab: number) => Promise<void>> = {
    async type(tab) {
      const name = one(FIELDS[tab] ?? []);
      const page = tabs[tab] as Page;
      const input = fieldIn(page, name);
      // A conflict about the field has to be decided first. People cannot type behind the dialog, which keeps the focus.
      const canType = async () => (await input.isVisible()) && !(await sessionDialog(page).isVisible());
      if (!(await canType())) return;
      const value = `${name} ${log.length}`;
      try {
        await input.fill(value, { timeout: PATIENCE_MS });
      } catch (error) {
        // The other tab has stored the same field at this moment.
        if (await canType()) throw error;
        return;
      }
      typed.set(name, value);
    },
    save: async (tab) => tabs[tab]?.keyboard.press('Control+s'),
    async reload(tab) {
      if (isOffline) return;
      await signIn();
      await tabs[tab]?.reload();
      await settle(tabs[tab] as Page);
    },
    async reopen(tab) {
      if (isOffline) return;
      await signIn();
      await tabs[tab]?.close();
      tabs[tab] = await openForm(context, address);
    },
    async connection() {
      isOffline = !isOffline;
      await context.setOffline(isOffline);
    },
    async endSession() {
      await context.clearCookies();
    },
  };
  const names = ['type', 'type', 'type', 'save', 'save', 'reload', 'reopen', 'connection', 'endSession'];
  for (let step = 0; step < steps; step++) {
    const name = one(names);
    const tab = Math.floor(random() * tabs.length);
    log.push(`${name} ${tab}`);
    if (!isOffline) await Promise.all(tabs.map(settle));
    await actions[name]?.(tab);
  }
  await context.setOffline(false);
  await Promise.all(tabs.map(settle));
  for (const tab of tabs) await tab.close();
  await signIn();
  const last = await openForm(context, address);
  const texts = [await site.read('article/moon.md')];
  const conflict = last.locator('.conflict');
  for (const name of FIELDS.flat()) {
    const input = fieldIn(last, name);
    // A conflict is loaded later, in the place of the input.
    const isUndecided = async () => {
      await input.or(conflict).first().waitFor();
      return conflict.first().isVisible();
    };
    while (await isUndecided()) {
      texts.push(...(await conflict.allInnerTexts()));
      await conflict.first().getByRole('button', { name: 'Keep mine' }).first().click();
    }
    texts.push(await input.inputValue());
  }
  for (const value of typed.values()) {
    const isKept = texts.some((text) => text.includes(value));
    expect(isKept, `“${value}” is lost. Seed ${seed}: ${log.join(', ')}. Found: ${texts.join(' | ')}`).toBe(
      true,
    );
  }
  await clear(context, site);
}

/** Leaves the cache of the context, so that the next walk need not load the admin again. */
async function clear(context: BrowserContext, { origin }: WritableSite): Promise<void> {
  await context.setOffline(false);
  for (const page of context.pages()) await page.close();
  await context.clearCookies();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb,local_storage' });
  await page.close();
}

async function openForm(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  track(page);
  await page.goto(address);
  await settle(page);
  return page;
}

/** Waits for the form, and signs in if it asks for that. */
async function settle(page: Page): Promise<void> {
  const dialog = sessionDialog(page);
  const form = page.locator('.form header');
  await dialog.or(form).first().waitFor();
  // A request that is under way may still find the session ended.
  await rest(page);
  if (await dialog.isVisible()) {
    await dialog.getByLabel('Name').fill('ada');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  await form.waitFor();
}

/** The requests of a page that have no response yet. */
const running = new WeakMap<Page, Set<Request>>();

function track(page: Page): void {
  const requests = new Set<Request>();
  running.set(page, requests);
  page.on('request', (request) => {
    if (!isPresence(request)) requests.add(request);
  });
  const end = (request: Request) => void requests.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** Waits until a page sends nothing. The load state `networkidle` waits half a second more. */
async function rest(page: Page): Promise<void> {
  do {
    await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), PAUSE_MS);
  } while ((running.get(page)?.size ?? 0) > 0);
}

/** Longer than an input takes that stays on the page. */
const PATIENCE_MS = 5000;
/** Longer than a page takes to begin a request after a key, or after the response to another. */
const PAUSE_MS = 20;

function fieldIn(page: Page, name: string) {
  return page.getByRole('textbox', { name, exact: true });
}

function sessionDialog(page: Page) {
  return page.getByRole('dialog', { name: 'Your session has ended' });
}
