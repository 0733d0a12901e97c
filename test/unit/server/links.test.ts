import { beforeEach, describe, expect, it } from 'vitest';
import { createFixedAccounts } from '../../../integration/features/accounts/account-storage.ts';
import { createMailer } from '../../../integration/features/accounts/mail.ts';
import { eventually } from '../../support/eventually.ts';
import { adminApp } from '../../support/services.ts';
import {
  createSession,
  form,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
  type TestSession,
} from '../../support/sign-in-site.ts';
import { startSmtpSink } from '../../support/smtp-sink.ts';
import { basic } from '../accounts/test-auth.ts';

let site: SignInSite;
beforeEach(async () => {
  site = await openSignInSite({ front: { adminApp }, settings: { admin: true } });
  await site.auth.accounts.update('eve', { mail: 'eve@site.example' });
});

async function send(
  method: string,
  path: string,
  attributes?: object,
  as = 'ada',
  type = 'link',
  id?: string,
) {
  const body = attributes && JSON.stringify({ data: { type, ...(id && { id }), attributes } });
  const headers = {
    authorization: basic(as, PASSWORD),
    ...(body && { 'content-type': 'application/vnd.api+json' }),
  };
  const response = await site.request(path, { method, headers, body: body ?? null });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

const invite = (how: 'link' | 'mail', name = 'jane', mail?: string) =>
  send('POST', '/jsonapi/_accounts', { roles: ['editor'], invite: how, mail }, 'ada', 'account', name);

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';

async function page(path: string, init?: RequestInit, session?: TestSession) {
  const response = await site.request(path, init, {
    session: session ?? createSession(),
    address: '192.0.2.9',
  });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

const choose = (token: string, pass: string, session?: TestSession) =>
  page('/user/password', form({ token, pass }), session);

const mailed = () =>
  eventually(() => {
    const [mail] = site.auth.mails;
    if (mail === undefined) throw new Error('No mail yet.');
    return mail;
  });

describe('an invitation', () => {
  it('is a link with which a person chooses a password and is signed in, once', async () => {
    const { status, json } = await invite('link');
    expect(status).toBe(201);
    expect(json.data.attributes).toMatchObject({ hasPassword: false, link: { purpose: 'invitation' } });
    const token = tokenOf(json.meta.link.url);
    const days = (Date.parse(json.meta.link.expires) - site.auth.clock.now) / 86_400_000;
    expect(days).toBeCloseTo(7, 3);
    expect((await page(`/user/password?token=${token}`)).text).toContain(
      'Choose a password for your account <strong>jane',
    );
    expect((await choose(token, 'short')).status).toBe(422);
    const session = createSession();
    expect(await choose(token, 'high tide', session)).toMatchObject({ status: 303, location: '/admin' });
    expect(session.data.get('astro-jsonapi')).toMatchObject({ account: { name: 'jane' } });
    expect((await choose(token, 'other tide')).status).toBe(403);
    expect((await page(`/user/password?token=${token}`)).status).toBe(403);
    expect((await site.auth.accounts.find('jane'))?.links).toBeUndefined();
  });

  it('is sent by mail on request, and the response then has no link', async () => {
    const { json } = await invite('mail', 'jane', 'jane@site.example');
    expect(json.meta.link).toMatchObject({ url: null, sent: true });
    const mail = await mailed();
    expect(mail).toMatchObject({ to: 'jane@site.example', subject: 'Your account on mail.site.example' });
    expect((await choose(tokenOf(mail.link), 'high tide')).status).toBe(303);
  });

  it('can be revoked, and expires after seven days', async () => {
    const first = tokenOf((await invite('link')).json.meta.link.url);
    expect((await send('DELETE', '/jsonapi/_accounts/jane/links')).status).toBe(204);
    expect((await choose(first, 'high tide')).status).toBe(403);
    const second = tokenOf(
      (await send('POST', '/jsonapi/_accounts/jane/links', {})).json.data.attributes.url,
    );
    site.auth.clock.now += 7 * 86_400_000;
    expect((await choose(second, 'high tide')).status).toBe(403);
  });

  it('is stored as a digest only', async () => {
    const token = tokenOf((await invite('link')).json.meta.link.url);
    expect(JSON.stringify(await site.auth.file.read())).not.toContain(token);
  });

  it('comes from administrators only, and with a mail address if it is mailed', async () => {
    expect((await send('POST', '/jsonapi/_accounts/ada/links', {}, 'eve')).status).toBe(403);
    const { status, json } = await invite('mail');
    expect([status, json.errors[0].source]).toEqual([422, { pointer: '/data/attributes/invite' }]);
    expect(await site.auth.accounts.find('jane')).toBeUndefined();
  });
});

describe('a forgotten password', () => {
  const request = (name: string, headers = {}) =>
    page('/user/password', form({ name }, { origin: 'https://site.example', ...headers }));

  it('gets a link by mail, for a name and for an address', async () => {
    const sent = await request('EVE@site.example');
    expect(sent.status).toBe(200);
    const { link, to } = await mailed();
    expect([to, new URL(link).host]).toEqual(['eve@site.example', 'mail.site.example']);
    const { session } = await signIn(site, 'eve');
    expect((await choose(tokenOf(link), 'new tide')).status).toBe(303);
    expect(await site.request('/jsonapi/_me', {}, { session })).toMatchObject({ status: 401 });
  });

  it('has the same response for every name', async () => {
    await site.auth.accounts.add({ name: 'robot', roles: [], mail: 'robot@site.example' });
    await site.auth.accounts.update('eve', { blocked: true });
    const pages = [];
    for (const name of ['eve', 'ada', 'robot', 'nobody', 'nobody@site.example'])
      pages.push(await request(name));
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(site.auth.mails).toEqual([]);
  });

  it('has a link to the site, whatever host the request names', async () => {
    const poisoned = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'sec-fetch-site': 'same-origin',
    };
    await request('eve', poisoned);
    const { link, text } = await mailed();
    expect(new URL(link).host).toBe('mail.site.example');
    expect(text).not.toContain('evil');
  });

  it('gets three mails at once, and each address ten requests', async () => {
    for (let at = 0; at < 10; at += 1) expect((await request('eve')).status).toBe(200);
    expect((await request('eve')).status).toBe(429);
    await eventually(() => expect(site.auth.mails).toHaveLength(3));
  });

  it('has a link that a new password makes invalid, and a page of another site cannot ask', async () => {
    await request('eve');
    const { link } = await mailed();
    await site.auth.accounts.update('eve', { password: 'changed tide' });
    expect((await choose(tokenOf(link), 'new tide')).status).toBe(403);
    expect((await request('eve', { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('takes no guessed, empty or foreign token', async () => {
    for (const token of ['', 'x', 'a'.repeat(43), '__proto__']) {
      expect((await page(`/user/password?token=${token}`)).status).toBe(403);
      expect((await choose(token, 'new tide')).status).toBe(403);
    }
  });

  it('gets a link from an administrator, which ends the sessions when it is used', async () => {
    const { json } = await send('POST', '/jsonapi/_accounts/eve/links', {});
    expect(json.data.id).toBe('administrator');
    expect((await choose(tokenOf(json.data.attributes.url), 'new tide')).status).toBe(303);
    await expect(
      site.auth.authenticator.signIn({ name: 'eve', password: PASSWORD, address: undefined }),
    ).rejects.toThrow();
  });
});

describe('the own account', () => {
  it('changes its names with nothing else, and its mail with the current password', async () => {
    const change = (attributes: object) =>
      send('PATCH', '/jsonapi/_accounts/eve', attributes, 'eve', 'account', 'eve');
    expect((await change({ displayName: 'Eve' })).status).toBe(200);
    expect((await change({ mail: 'new@site.example' })).status).toBe(422);
    expect((await change({ mail: 'new@site.example', currentPassword: PASSWORD })).status).toBe(200);
    expect((await change({ roles: ['administrator'] })).status).toBe(403);
  });

  it('lists its sessions, and ends the others', async () => {
    const one = await signIn(site, 'eve');
    const other = await signIn(site, 'eve');
    const headers = { 'x-csrf-token': one.csrf };
    const list = async () => {
      const response = await site.request('/jsonapi/_accounts/eve/sessions', {}, { session: one.session });
      return (await response.json()).data.map(
        ({ attributes }: { attributes: { isOwn: boolean } }) => attributes.isOwn,
      );
    };
    expect(await list()).toEqual([false, true]);
    const ended = await site.request(
      '/jsonapi/_accounts/eve/sessions',
      { method: 'DELETE', headers },
      { session: one.session },
    );
    expect(ended.status).toBe(204);
    expect(await list()).toEqual([true]);
    expect(await site.request('/jsonapi/_me', {}, { session: other.session })).toMatchObject({ status: 401 });
    expect((await send('GET', '/jsonapi/_accounts/ada/sessions', undefined, 'eve')).status).toBe(403);
  });
});

describe('the audit log over HTTP', () => {
  it('has pages and filters, for administrators only', async () => {
    await invite('link');
    await site.auth.authenticator
      .signIn({ name: 'eve', password: 'wrong', address: '192.0.2.1' })
      .catch(() => undefined);
    const all = await send('GET', '/jsonapi/_audit?page[limit]=2');
    expect(all.json.data).toHaveLength(2);
    const rest = await send(
      'GET',
      new URL(all.json.links.next.href).pathname + new URL(all.json.links.next.href).search,
    );
    expect(rest.status).toBe(200);
    expect(rest.json.data[0].id).not.toBe(all.json.data[0].id);
    const failed = await send('GET', '/jsonapi/_audit?filter[failed]=true&filter[account]=EVE');
    expect(failed.json.data.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
      { event: 'sign-in', result: 'wrong password', account: 'eve', address: '192.0.2.1' },
    ]);
    const created = await send('GET', '/jsonapi/_audit?filter[event]=invitation created,account added');
    expect(created.json.data).toHaveLength(2);
    expect((await send('GET', '/jsonapi/_audit?filter[x]=1')).status).toBe(400);
    expect((await send('GET', '/jsonapi/_audit', undefined, 'eve')).status).toBe(403);
  });
});

describe('presence', () => {
  const at = '/jsonapi/_presence/node/article/first';
  const report = async (as: string, idle: number | null, path = at) => {
    const response = await site.request(path, {
      method: 'POST',
      headers: { authorization: basic(as, PASSWORD), 'content-type': 'application/json' },
      body: JSON.stringify({ idle }),
    });
    return {
      status: response.status,
      data: response.status === 200 ? (await response.json()).data : undefined,
    };
  };

  it('lists the other accounts with the entry open, until they leave or stop reporting', async () => {
    expect((await report('ada', 0)).data).toEqual([]);
    expect((await report('eve', 5)).data).toMatchObject([{ id: 'ada' }]);
    expect((await report('ada', 0)).data).toMatchObject([
      { id: 'eve', attributes: { idle: expect.any(Number) } },
    ]);
    await report('eve', null);
    expect((await report('ada', 0)).data).toEqual([]);
  });

  it('reveals nothing to anonymous visitors, and nothing about entries that an account cannot see', async () => {
    expect((await site.request(at)).status).toBe(401);
    await report('ada', 0, '/jsonapi/_presence/node/article/draft');
    const hidden = await report('eve', 0, '/jsonapi/_presence/node/article/draft');
    const missing = await report('eve', 0, '/jsonapi/_presence/node/article/missing');
    expect([hidden.status, missing.status]).toEqual([404, 404]);
  });

  it('rejects other bodies', async () => {
    expect((await report('ada', -1)).status).toBe(422);
  });
});

describe('mail', () => {
  const settings = { site: 'https://site.example', base: '/docs', trailingSlash: 'ignore' } as const;
  const mail = { to: 'eve@site.example', subject: 'Hello', text: 'Text', link: 'https://site.example/x' };
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  beforeEach(() => void warnings.splice(0));

  it('goes to a server of SMTP', async () => {
    const sink = await startSmtpSink();
    const mailer = createMailer({
      option: { smtp: 'env:SMTP_URL', from: 'Site <site@site.example>' },
      environment: { SMTP_URL: sink.url },
      ...{ settings, warn, delays: [] },
    });
    expect(mailer?.address('/user/password?token=x')).toBe('https://site.example/docs/user/password?token=x');
    expect(await mailer?.send(mail)).toBe(true);
    expect(sink.lines.join('\n')).toMatch(
      /MAIL FROM:<site@site\.example>[\s\S]*RCPT TO:<eve@site\.example>[\s\S]*Subject: Hello/,
    );
    await sink.close();
  });

  it('goes to a webhook, signed, and is tried again', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const calls: RequestInit[] = [];
    const mailer = createMailer({
      option: { webhook: 'env:HOOK', secret: 'env:SECRET' },
      environment: { HOOK: 'https://hook.example/key-1', SECRET: secret },
      ...{ settings, warn, delays: [1, 1] },
      fetch: async (_, init) => {
        calls.push(init ?? {});
        return new Response(null, { status: calls.length < 3 ? 503 : 204 });
      },
    });
    expect(await mailer?.send(mail)).toBe(true);
    expect(calls).toHaveLength(3);
    expect(JSON.parse(String(calls[2]!.body))).toMatchObject({ type: 'mail.requested', data: mail });
    expect(calls[2]!.headers).toMatchObject({ 'webhook-signature': expect.stringMatching(/^v1,/) });
    expect(warnings.join()).not.toContain('key-1');
  });

  it('is off without the address of the site, a variable or a secret of the right form', () => {
    const option = { webhook: 'env:HOOK', secret: 'env:SECRET' };
    const open = (environment: Record<string, string>, site: string | undefined = settings.site) =>
      createMailer({ option, environment, settings: { ...settings, site }, warn });
    expect(open({ HOOK: 'https://hook.example', SECRET: 'x' })).toBeUndefined();
    expect(open({ SECRET: 'x' })).toBeUndefined();
    expect(
      createMailer({ option, environment: {}, settings: { ...settings, site: undefined }, warn }),
    ).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringContaining('whsec_'),
      expect.stringContaining('HOOK is not set'),
      expect.stringContaining('needs `site`'),
    ]);
  });
});

it('accounts in a variable are read-only, and the error names the variable', async () => {
  const text = JSON.stringify(await site.auth.file.read());
  const storage = createFixedAccounts(text, 'JSONAPI_ACCOUNTS_JSON');
  await expect(storage.update((data) => data)).rejects.toMatchObject({ detail: storage.readOnly });
  expect(storage.readOnly).toContain('JSONAPI_ACCOUNTS_JSON');
});

describe('the languages of pages and mails', () => {
  const inLanguage = (language: string, path: string, init: RequestInit = {}) =>
    site.request(
      path,
      { ...init, headers: { ...init.headers, 'accept-language': language } },
      {
        session: createSession(),
        address: '192.0.2.7',
      },
    );

  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', '<html lang="de" dir="ltr">', 'Anmelden', 'Passwort vergessen?'],
    ['fr,ar;q=0.5', '<html lang="ar" dir="rtl">', 'تسجيل الدخول', 'هل نسيت كلمة المرور؟'],
    ['fr', '<html lang="en" dir="ltr">', 'Sign in', 'Forgot your password?'],
    ['de;q=0,en', '<html lang="en" dir="ltr">', 'Sign in', 'Forgot your password?'],
  ])('are those of a browser that accepts %s', async (language, html, ...texts) => {
    const response = await inLanguage(language, '/user/login');
    expect(response.headers.get('vary')).toContain('Accept-Language');
    const text = await response.text();
    for (const expected of [html, ...texts]) expect(text).toContain(expected);
  });

  it('include what is wrong', async () => {
    const { headers, ...init } = form({ name: 'eve', pass: 'wrong' });
    const failed = await inLanguage('de', '/user/login', {
      ...init,
      headers: { ...(headers as Record<string, string>) },
    });
    const text = await failed.text();
    expect(text).toContain('<title>Fehler: Anmelden');
    expect(text).toContain('Der Name oder das Passwort ist falsch.');
    const link = await (await inLanguage('ar', '/user/password?token=none')).text();
    expect(link).toContain('لم يعد هذا الرابط صالحًا');
  });

  it('leave no English text in German', async () => {
    const { json } = await invite('link');
    for (const path of [
      '/user/login',
      '/user/logout',
      '/user/password',
      `/user/password?token=${tokenOf(json.meta.link.url)}`,
    ]) {
      const text = await (await inLanguage('de', path)).text();
      expect(text.replace(/<style>[\s\S]*<\/style>/, '')).not.toMatch(
        /\b(?:the|your|you|password|account|choose)\b[^<"=]*</i,
      );
    }
  });

  it('are those of the interface for an invitation, and of the browser for a forgotten password', async () => {
    const body = JSON.stringify({
      data: {
        type: 'account',
        id: 'jane',
        attributes: { roles: ['editor'], invite: 'mail', mail: 'jane@site.example' },
      },
    });
    await site.request('/jsonapi/_accounts', {
      method: 'POST',
      headers: {
        authorization: basic('ada', PASSWORD),
        'content-type': 'application/vnd.api+json',
        'accept-language': 'ar',
      },
      body,
    });
    expect((await mailed()).subject).toBe('حسابك على mail.site.example');
    const { headers, ...init } = form({ name: 'eve' });
    await inLanguage('de', '/user/password', {
      ...init,
      headers: { ...(headers as Record<string, string>) },
    });
    await eventually(() => expect(site.auth.mails).toHaveLength(2));
    expect(site.auth.mails[1]).toMatchObject({ subject: 'Ein neues Passwort für mail.site.example' });
    expect(site.auth.mails[1]?.text).toContain('Der Link gilt einmal, eine Stunde lang.');
  });
});
