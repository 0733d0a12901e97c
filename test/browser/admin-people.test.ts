import type { Locator } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Roles } from '../../integration/core/access/role.ts';
import { eventually } from '../support/eventually.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { axeViolations } from './axe.ts';
import { describeInBrowser } from './chromium.ts';
import { watchRefusals } from './page-checks.ts';
import { openTab, useTab } from './tab.ts';
import { startWritableSite, type WritableSite } from './writable-site.ts';

/** May administer accounts, but is not an administrator. */
const ROLES: Roles = { warden: { also: ['administer accounts'] } };
const ENTRY = '/edit/node/article/moon';

describeInBrowser('accounts in the admin', async () => {
  const tab = await useTab();
  const { browser, faults, page } = tab;
  let site: WritableSite;

  beforeAll(async () => {
    watchRefusals(page, faults);
  });
  beforeEach(async () => {
    site = await startWritableSite({ roles: ROLES });
  });

  async function open(address: string, name = 'ada'): Promise<void> {
    await tab.open(site, `/admin${address}`, name);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const notice = (text: string) => page.locator('.notices').getByText(text).waitFor();
  const canSignIn = (name: string, password?: string) =>
    site.signIn(name, password).then(
      () => true,
      () => false,
    );

  /** Pictures for people, at both widths and in both schemes, if a folder is set. */
  async function shot(name: string, page = tab.page): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (folder === undefined) return;
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 720 });
  }

  test('an administrator adds an account, changes it, blocks it and removes it', async () => {
    await open('/people');
    await button('Add account').click();
    const dialog = page.getByRole('dialog', { name: 'New account' });
    await dialog.getByLabel('Name', { exact: true }).fill('ada');
    const add = dialog.getByRole('button', { name: 'Add account' });
    await add.click();
    await dialog.getByText('There is an account ada already.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('Name', { exact: true }).fill('jane');
    await dialog.getByLabel('Sign-in').selectOption('password');
    await dialog.getByLabel('First password').fill('short');
    await add.click();
    await dialog.getByText('needs at least 8 characters', { exact: false }).waitFor();
    await dialog.getByLabel('First password').fill('low tide at nine');
    await dialog.getByLabel('Email').fill('nowhere');
    await add.click();
    await dialog.getByText('is not a valid e-mail address', { exact: false }).waitFor();
    await dialog.getByLabel('Email').fill('jane@example.com');
    await dialog.getByLabel('Editor').check();
    await add.click();

    await page.getByRole('heading', { level: 1, name: 'jane' }).waitFor();
    expect(await canSignIn('jane', 'low tide at nine')).toBe(true);
    expect(await button('Save').isDisabled()).toBe(true);
    await field('Display name').fill('Jane Low');
    await button('Save').click();
    await notice('The account Jane Low is saved.');
    await page.getByRole('heading', { level: 1, name: 'Jane Low' }).waitFor();

    await button('Block').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).click();
    await notice('Jane Low is blocked.');
    await expectFocus(button('Unblock'));
    expect(await canSignIn('jane', 'low tide at nine')).toBe(false);
    await button('Unblock').click();
    await notice('Jane Low can sign in again.');
    expect(await canSignIn('jane', 'low tide at nine')).toBe(true);

    await page.getByRole('main').getByRole('link', { name: 'People' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'jane@example.com' });
    await row.getByText('Editor').waitFor();
    await row.getByRole('link', { name: 'Jane Low' }).click();
    await button('Remove account').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove account' }).click();
    await notice('The account Jane Low is removed.');
    await row.waitFor({ state: 'hidden' });
    await expectFocus(page.getByRole('main'));
  });

  test('an invited person chooses a password with the link, once, and the audit log has it', async () => {
    await open('/people');
    await button('Add account').click();
    const dialog = page.getByRole('dialog', { name: 'New account' });
    await dialog.getByLabel('Name', { exact: true }).fill('jane');
    await dialog.getByLabel('editor').check();
    await dialog.getByRole('button', { name: 'Add account' }).click();
    const link = (await dialog.locator('code').textContent()) ?? '';
    expect(await axeViolations(page)).toEqual([]);
    await shot('invited');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Invited', { exact: true }).waitFor();
    await shot('account');
    const other = await openTab(browser);
    await other.page.goto(link);
    await other.page.getByLabel('Password').fill('high tide at noon');
    expect(await axeViolations(other.page)).toEqual([]);
    await other.page.getByRole('button', { name: 'Create the password' }).click();
    await other.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await canSignIn('jane', 'high tide at noon')).toBe(true);
    expect((await other.page.goto(link))?.status()).toBe(403);
    await other.page.context().close();
    await open('/people/audit');
    await page.getByText('invitation accepted').waitFor();
    await page.getByLabel('Events').selectOption('accounts');
    await page.getByText('account added').first().waitFor();
    await page.getByText('invitation accepted').waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);
    await shot('audit');
  });

  test('people who forgot their password get a link by mail, and choose another one with it', async () => {
    const sink = await startSmtpSink();
    site = await startWritableSite({ mail: sink.url });
    const other = await openTab(browser);
    const visitor = other.page;
    await visitor.goto(`${site.origin}/user/login`);
    await visitor.getByRole('link', { name: 'Forgot your password?' }).click();
    await visitor.waitForURL(/\/user\/password/);
    await visitor.locator('input:focus').waitFor();
    await visitor.keyboard.type('EVE@example.com');
    expect(await axeViolations(visitor)).toEqual([]);
    await shot('forgotten', visitor);
    await visitor.keyboard.press('Enter');
    await visitor.getByText('a mail with a link is on its way', { exact: false }).waitFor();
    expect(await axeViolations(visitor)).toEqual([]);
    await shot('mail-sent', visitor);
    const mail = await eventually(() => {
      const [first] = sink.mails();
      if (first === undefined) throw new Error('No mail yet.');
      return first;
    });
    expect(mail).toMatch(/^To: eve@example\.com$/m);
    const link = /^http\S+$/m.exec(mail)?.[0] ?? '';
    await visitor.goto(link);
    await visitor.keyboard.type('short');
    await visitor.keyboard.press('Enter');
    await visitor.getByRole('alert').getByText('at least 8 characters', { exact: false }).waitFor();
    await visitor.getByLabel('Password').fill('high tide at noon');
    await shot('new-password', visitor);
    await visitor.keyboard.press('Enter');
    await visitor.waitForURL(`${site.origin}/admin`);
    expect([await canSignIn('eve'), await canSignIn('eve', 'high tide at noon')]).toEqual([false, true]);
    expect((await visitor.goto(link))?.status()).toBe(403);
    await visitor.getByRole('alert').getByText('This link is no longer valid', { exact: false }).waitFor();
    expect(await axeViolations(visitor)).toEqual([]);
    await shot('invalid-link', visitor);
    await visitor.context().close();
    await sink.close();
  });

  test('an administrator hands over a link to a person who forgot their password', async () => {
    await open('/people?account=eve');
    await button('Create a link').click();
    const link = (await page.locator('code').textContent()) ?? '';
    expect(await axeViolations(page)).toEqual([]);
    await shot('handed-over');
    const other = await openTab(browser);
    await other.page.goto(link);
    await other.page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await other.page.getByLabel('Password').fill('high tide at noon');
    await other.page.keyboard.press('Enter');
    await other.page.waitForURL(`${site.origin}/admin`);
    await other.page.context().close();
    expect([await canSignIn('eve'), await canSignIn('eve', 'high tide at noon')]).toEqual([false, true]);
  });

  test('explains how to change accounts that are in an environment variable', async () => {
    site = await startWritableSite({ hasFixedAccounts: true });
    const reason = page.getByRole('note').getByText('Accounts cannot be changed here.');
    await open('/people');
    await reason.waitFor();
    expect(await button('Add account').isDisabled()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await shot('fixed-people');
    await open('/people?account=eve');
    await reason.waitFor();
    for (const name of ['Save', 'Block', 'Remove account'])
      expect(await button(name).isDisabled()).toBe(true);
    for (const name of ['Create token', 'Create a link', 'Change password'])
      expect(await button(name).count()).toBe(0);
    expect(await field('New password').count()).toBe(0);
    expect(await field('Display name').isDisabled()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await shot('fixed-account');
    await open('/profile', 'eve');
    await reason.waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    expect(
      await page.getByLabel(/password/i).evaluateAll((inputs) => inputs.map((input) => input.tagName)),
    ).toEqual(['SECTION']);
    await page.getByText('It is in the settings of the server.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shot('fixed-profile');
    const other = await openTab(browser);
    await other.page.goto(`${site.origin}/user/password`);
    await other.page.getByText('Ask the person who runs the server', { exact: false }).waitFor();
    expect(await axeViolations(other.page)).toEqual([]);
    await shot('fixed-forgotten', other.page);
    await other.page.context().close();
  });

  test('people change their own names, see their sessions, and end the others', async () => {
    await site.signIn('eve');
    await open('/profile', 'eve');
    await field('Display name').fill('Eve Adams');
    await button('Save').click();
    await notice('The account Eve Adams is saved.');
    await page.getByText('This browser').waitFor();
    await button('End the others').click();
    await notice('All other sessions have ended.');
    await button('End the others').waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);
    await shot('profile');
    await page.reload();
    await page.getByRole('heading', { name: 'Eve Adams' }).waitFor();
  });

  test('the form of an entry shows who else has it open, until they leave', async () => {
    await site.addAccount('max', ['editor']);
    const other = await openTab(browser);
    await other.open(site, `/admin${ENTRY}`, 'max');
    await other.page.getByRole('heading', { level: 1 }).waitFor();
    await open(ENTRY);
    await page.getByText('max has this open').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await shot('presence');
    await other.page.goto('about:blank');
    await other.page.context().close();
  });

  test('a token is shown once, works, and stops working when it is revoked', async () => {
    await open('/people?account=eve');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('No tokens.').waitFor();
    await button('Create token').click();
    await field('Label').fill('Build server');
    await field('Valid for').selectOption('No expiry');
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    await button('Copy').click();
    await button('Copied').waitFor();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    const ask = () => fetch(`${site.origin}/jsonapi/_me`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await (await ask()).json()).data.id).toBe('eve');
    await button('Done').click();
    await page.getByText(/Read · created .* · No expiry/).waitFor();
    expect(await page.content()).not.toContain(secret);
    await button('Revoke Build server').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await notice('The token “Build server” is revoked.');
    await page.getByText('No tokens.').waitFor();
    await expectFocus(page.locator(':focus', { hasText: 'No tokens.' }));
    expect((await ask()).status).toBe(401);
  });

  test('everyone changes their own password with the current one, and stays signed in', async () => {
    await open('/profile', 'eve');
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
    expect(await button('Create token').count()).toBe(0);
    await field('Current password').fill('wrong');
    await field('New password').fill('high tide at noon');
    await button('Change password').click();
    await page.getByText('The current password is wrong.').waitFor();
    expect(await field('Current password').getAttribute('aria-invalid')).toBe('true');
    await field('Current password').fill(PASSWORD);
    await button('Change password').click();
    await notice('The password is changed.');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    expect([await canSignIn('eve'), await canSignIn('eve', 'high tide at noon')]).toEqual([false, true]);
  });

  test('people choose the language of the interface in their profile', async () => {
    await open('/profile', 'eve');
    await field('Language of the interface').selectOption('Deutsch');
    await page.getByRole('heading', { level: 1, name: 'Profil' }).waitFor();
    await page.getByLabel('Sprache der Oberfläche').selectOption('English');
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  });

  test.each([
    ['de', ['Anmeldung', 'Falsches Passwort', 'Formular']],
    ['ar', ['تسجيل دخول', 'كلمة مرور خاطئة', 'نموذج']],
  ])('the audit log has names of events in %s, and their codes in the data', async (language, names) => {
    await open('/people');
    expect(await canSignIn('ada', 'wrong')).toBe(false);
    await page.evaluate((code) => localStorage.setItem('astro-jsonapi:language', code), language);
    await page.goto(`${site.origin}/admin/people/audit`);
    for (const name of names) await page.locator('.panel').getByText(name).first().waitFor();
    expect(await page.locator('.panel').innerText()).not.toMatch(/sign-in|wrong|form\b/);
    const response = await page.context().request.get(`${site.origin}/jsonapi/_audit`);
    const { data } = await response.json();
    expect(data[0].attributes).toMatchObject({ event: 'sign-in', result: 'wrong password', by: 'form' });
  });

  test('an account that administers accounts without being an administrator cannot make or change one', async () => {
    await site.addAccount('walt', ['warden']);
    await open('/people?account=eve', 'walt');
    expect(await page.getByLabel('Administrator').isDisabled()).toBe(true);
    await page.goto(`${site.origin}/admin/people?account=ada`);
    await page.getByText('Only administrators can change administrators.').waitFor();
    expect(await button('Remove account').count()).toBe(0);
  });

  test('an account without the permission gets no list, and the page does not request it', async () => {
    await open('/people', 'eve');
    await page.getByText('You may not manage accounts.', { exact: false }).waitFor();
  });

  async function expectFocus(element: Locator): Promise<void> {
    await expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);
  }
});
