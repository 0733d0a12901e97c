import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSignInSite, PASSWORD, type SignInSite } from '../support/sign-in-site.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { withSessions } from './sessions.ts';

describeInBrowser('signing in without scripts', async () => {
  const browser = await useBrowser();
  let context: BrowserContext;
  let page: Page;
  let site: SignInSite;
  let server: Server;
  let origin: string;

  async function open(accounts: boolean): Promise<void> {
    site = await openSignInSite({ accounts });
    server = createServer(withSessions(site.handle));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    context = await browser.newContext({ javaScriptEnabled: false });
    page = await context.newPage();
  }
  beforeEach(() => open(true));
  afterEach(close);
  async function close(): Promise<void> {
    await context.close();
    server.closeAllConnections();
    server.close();
  }

  test('works with the keyboard alone, and leads to the requested page', async () => {
    await page.goto(`${origin}/user/login?destination=/user/logout`);
    expect(await page.title()).toBe('Sign in');
    // The first field has the focus.
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/user/logout`);
    await page.getByText('as ada.').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  });

  test('has labelled fields that browsers and password managers recognise', async () => {
    await page.goto(`${origin}/user/login`);
    const name = page.getByRole('textbox', { name: 'Name' });
    expect(await name.getAttribute('autocomplete')).toBe('username');
    const password = page.getByLabel('Password');
    expect(await password.getAttribute('autocomplete')).toBe('current-password');
    expect(await password.getAttribute('type')).toBe('password');
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    // The style sheet is allowed by the page's own policy.
    const { width, height } = (await page.getByRole('button', { name: 'Sign in' }).boundingBox()) ?? {
      width: 0,
      height: 0,
    };
    expect([width > 60, height]).toEqual([true, 40]);
  });

  test('announces the error, and keeps the name', async () => {
    await page.goto(`${origin}/user/login`);
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button').click();
    expect(await page.getByRole('alert').innerText()).toBe('The name or the password is wrong.');
    expect(await page.title()).toBe('Error: Sign in');
    expect(await page.getByLabel('Name').inputValue()).toBe('ada');
    const password = page.getByLabel('Password');
    expect(await password.inputValue()).toBe('');
    expect(await password.getAttribute('aria-invalid')).toBe('true');
    const described = await password.getAttribute('aria-describedby');
    expect(await page.locator(`#${described}`).innerText()).toContain('wrong');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('as ada.').waitFor();
  });

  test('fits a small screen and a zoomed one', async () => {
    await page.setViewportSize({ width: 280, height: 500 });
    await page.goto(`${origin}/user/login`);
    const box = await page.getByRole('main').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(280);
  });

  test('creates the first account with the setup link', async () => {
    await close();
    await open(false);
    const link = await site.auth.setup.createSetupLink();
    await page.goto(`${origin}${link?.path}`);
    await page.getByLabel('Name').fill('grace');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('8');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('as grace.').waitFor();
  });

  test('a page of another origin cannot sign in', async () => {
    const evil = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<form method="post" action="${origin}/user/login"><input name="name" value="ada"><input name="pass" value="${PASSWORD}"><button>Win</button></form>`,
      );
    });
    await new Promise<void>((listening) => evil.listen(0, '127.0.0.1', listening));
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    await page.getByRole('button').click();
    await page.getByRole('alert').getByText('sent this').waitFor();
    await page.goto(`${origin}/user/login`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    evil.closeAllConnections();
    evil.close();
  });
});
