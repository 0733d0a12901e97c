import { JsonApiClient } from '@drupal-api-client/json-api-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCESS_TOKEN_SECONDS } from '../../../integration/features/accounts/access-token.ts';
import type { TokenRequest } from '../../../integration/features/accounts/token-endpoint.ts';
import { basic, createTestAuth, type TestAuth } from './test-auth.ts';

const FORM = 'application/x-www-form-urlencoded';

let auth: TestAuth;
let id: string;
let secret: string;
beforeEach(async () => {
  auth = createTestAuth();
  await auth.accounts.add({ name: 'jane', roles: ['editor'] });
  const made = await auth.accounts.addClient('jane', { label: 'site', scope: 'write' });
  id = made.client.id;
  secret = made.secret;
});

const ask = (request: Partial<TokenRequest> = {}) =>
  auth.authenticator.requestToken({
    authorization: null,
    contentType: FORM,
    body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
    ...request,
  });
const issueToken = async (request: Partial<TokenRequest> = {}, by = auth) => {
  const answer = await by.authenticator.requestToken({
    authorization: null,
    contentType: FORM,
    body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
    ...request,
  });
  if (!('access_token' in answer)) throw new Error(answer.message);
  return answer.access_token;
};
const bearer = (token: string, by = auth) =>
  by.authenticator.authenticate({ authorization: `Bearer ${token}`, session: undefined, address: undefined });

describe('a token request', () => {
  it.each([
    // next-drupal: HTTP Basic and a form; `scope` if it is configured.
    ['next-drupal', () => ({ authorization: basic(id, secret), body: 'grant_type=client_credentials' })],
    [
      'next-drupal with a role name as scope',
      () => ({
        authorization: basic(id, secret),
        body: 'grant_type=client_credentials&scope=content_editor',
      }),
    ],
    // drupal-state and @drupal-api-client: everything in the form, unencoded.
    [
      'drupal-state',
      () => ({ body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}` }),
    ],
    ['a charset', () => ({ contentType: `${FORM}; charset=UTF-8` })],
    [
      'client_id twice with the same value',
      () => ({ authorization: basic(id, secret), body: `grant_type=client_credentials&client_id=${id}` }),
    ],
    [
      'HTTP Basic with form-encoded parts',
      () => ({
        authorization: basic(id.replaceAll('-', '%2D'), secret.replaceAll('_', '%5F')),
        body: 'grant_type=client_credentials',
      }),
    ],
  ])('is accepted as sent by %s', async (_client, request) => {
    const answer = await ask(request());
    expect(answer).toEqual({
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      access_token: expect.stringMatching(/^ajo_[\w-]+\.[\w-]{43}$/),
      scope: 'write',
    });
    if (!('access_token' in answer)) return;
    expect(await bearer(answer.access_token)).toEqual({
      actor: { name: 'jane', roles: ['authenticated', 'editor'] },
      by: 'bearer',
      scope: 'write',
    });
  });

  it.each([
    ['write', undefined, 'write'],
    ['write', 'read', 'read'],
    ['write', 'read write', 'write'],
    ['write', 'editor', 'write'],
    ['write', 'editor read', 'read'],
    ['read', undefined, 'read'],
    ['read', 'write', 'read'],
  ] as const)('of a client with the scope %s that asks for %s: %s', async (may, asked, scope) => {
    const made = await auth.accounts.addClient('jane', { label: '', scope: may });
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...(asked && { scope: asked }) });
    const answer = await ask({ authorization: basic(made.client.id, made.secret), body: String(body) });
    expect(answer).toMatchObject({ scope });
    expect('access_token' in answer && (await bearer(answer.access_token))).toMatchObject({
      scope,
    });
  });
});

it('of the unmodified @drupal-api-client returns a token that works', async () => {
  const asked: string[] = [];
  const client = new JsonApiClient('https://tides.example', {
    authentication: { type: 'OAuth', credentials: { clientId: id, clientSecret: secret } },
    async customFetch(input, init) {
      const { pathname } = new URL(String(input));
      const headers = new Headers(init?.headers);
      asked.push(pathname);
      if (pathname === '/oauth/token') {
        const answer = await ask({ contentType: headers.get('content-type'), body: String(init?.body) });
        return Response.json(answer, { status: 'error' in answer ? 400 : 200 });
      }
      const authorization = headers.get('authorization');
      const who = await auth.authenticator.authenticate({
        authorization,
        session: undefined,
        address: undefined,
      });
      return Response.json({ data: [], meta: { name: who?.actor.name } });
    },
  });
  for (let times = 0; times < 2; times += 1) {
    expect(await client.getCollection('node--article')).toMatchObject({ meta: { name: 'jane' } });
  }
  expect(asked.filter((path) => path === '/oauth/token')).toHaveLength(1);
});

describe('a token request is rejected', () => {
  const grant = 'grant_type=client_credentials';
  it.each([
    [
      'with a wrong secret',
      () => ({ authorization: basic(id, `${secret}x`), body: grant }),
      'invalid_client',
    ],
    ['from an unknown client', () => ({ authorization: basic('x', secret), body: grant }), 'invalid_client'],
    [
      'with the name of an account',
      () => ({ authorization: basic('jane', secret), body: grant }),
      'invalid_client',
    ],
    ['without credentials', () => ({ body: grant }), 'invalid_client'],
    ['without a secret', () => ({ body: `${grant}&client_id=${id}` }), 'invalid_client'],
    ['with an empty secret', () => ({ body: `${grant}&client_id=${id}&client_secret=` }), 'invalid_client'],
    ['with a broken header', () => ({ authorization: 'Basic *', body: grant }), 'invalid_client'],
    ['with a token', () => ({ authorization: 'Bearer x', body: grant }), 'invalid_client'],
    ['without a grant type', () => ({ authorization: basic(id, secret), body: '' }), 'invalid_request'],
    [
      'with an unknown grant type',
      () => ({ authorization: basic(id, secret), body: 'grant_type=password&username=jane&password=x' }),
      'unsupported_grant_type',
    ],
    [
      'with the secret in two places',
      () => ({ authorization: basic(id, secret), body: `${grant}&client_secret=${secret}` }),
      'invalid_request',
    ],
    [
      'with two clients',
      () => ({ authorization: basic(id, secret), body: `${grant}&client_id=other` }),
      'invalid_request',
    ],
    [
      'with a repeated parameter',
      () => ({ authorization: basic(id, secret), body: `${grant}&scope=read&scope=write` }),
      'invalid_request',
    ],
    ['as JSON', () => ({ contentType: 'application/json', body: '{}' }), 'invalid_request'],
    ['without a content type', () => ({ contentType: null }), 'invalid_request'],
  ] as const)('%s', async (_why, request, error) => {
    const answer = await ask(request());
    expect(answer).toMatchObject({ error });
    expect(answer).toHaveProperty('message', 'error_description' in answer && answer.error_description);
  });
});

describe('a client token', () => {
  const invalid = { reason: 'invalid-token', detail: 'The token is not valid.' };

  it('expires after five minutes, plus 30 seconds for requests in progress', async () => {
    const token = await issueToken();
    auth.clock.now += (ACCESS_TOKEN_SECONDS + 30) * 1000;
    expect(await bearer(token)).toMatchObject({ by: 'bearer' });
    auth.clock.now += 1000;
    await expect(bearer(token)).rejects.toMatchObject({
      reason: 'invalid-token',
      detail: 'The token has expired.',
    });
  });

  it('stays valid after a restart', async () => {
    expect(await bearer(await issueToken(), auth.restarted())).toMatchObject({ actor: { name: 'jane' } });
  });

  it('is rejected once the client is removed', async () => {
    const token = await issueToken();
    await auth.accounts.removeClient('jane', id);
    await expect(bearer(token)).rejects.toMatchObject(invalid);
  });

  it('is rejected once the account is removed, even if a new one has its name', async () => {
    const token = await issueToken();
    await auth.accounts.remove('jane');
    await auth.accounts.add({ name: 'jane', roles: ['administrator'] });
    await expect(bearer(token)).rejects.toMatchObject(invalid);
  });

  it('is rejected while the account is blocked, and no new one is issued', async () => {
    const token = await issueToken();
    await auth.accounts.update('jane', { blocked: true });
    await expect(bearer(token)).rejects.toMatchObject(invalid);
    expect(await ask()).toMatchObject({ error: 'invalid_client' });
    await auth.accounts.update('jane', { blocked: false });
    expect(await bearer(token)).toMatchObject({ by: 'bearer' });
  });

  it('cannot be forged or modified', async () => {
    const token = await issueToken({
      body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}&scope=read`,
    });
    const [claims = '', signature = ''] = token.slice(4).split('.');
    const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(read).toEqual({ client: id, scope: 'read', until: expect.any(Number) });
    const forged = (change: object) =>
      Buffer.from(JSON.stringify({ ...read, ...change })).toString('base64url');
    const other = await auth.accounts.addClient('jane', { label: '', scope: 'write' });
    for (const text of [
      `${forged({ scope: 'write' })}.${signature}`,
      `${forged({ until: read.until + 1 })}.${signature}`,
      `${forged({ client: other.client.id })}.${signature}`,
      `${forged({ client: '__proto__' })}.${signature}`,
      `${claims}.`,
      claims,
      `${claims}.${'A'.repeat(43)}`,
      `.${signature}`,
      `${Buffer.from('[1]').toString('base64url')}.${signature}`,
      '',
    ]) {
      await expect(bearer(`ajo_${text}`), text).rejects.toMatchObject(invalid);
    }
  });

  it('of one site is not valid on another', async () => {
    const token = await issueToken();
    const other = createTestAuth();
    await other.accounts.add({ name: 'jane', roles: [] });
    await expect(bearer(token, other)).rejects.toMatchObject(invalid);
  });
});
