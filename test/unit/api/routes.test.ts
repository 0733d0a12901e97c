import { describe, expect, it } from 'vitest';
import { ADDRESSES, methodsAt } from '../../../integration/core/api/addresses.ts';
import { routesOf } from '../../../integration/core/api/features.ts';
import { createRouteMatcher } from '../../../integration/core/api/match-route.ts';
import { isReservedPath, methodsOf, routePatterns } from '../../../integration/core/api/routes.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { FEATURES } from '../../../integration/features.ts';

const SITE = { base: '/docs', explorer: true, health: '/healthz', signIn: true, admin: true } as const;
const ORIGIN = 'https://site.example';
const ROUTES = routesOf(FEATURES);
const match = createRouteMatcher(ROUTES, SITE);
const nameOf = (path: string) => match(ORIGIN + path)?.route.name;

describe('the route of a request', () => {
  it.each([
    ['/docs/jsonapi', 'entry'],
    ['/docs/jsonapi//', 'entry'],
    ['/docs/JSONAPI/node/article', 'jsonapi'],
    ['/docs/jsonapi/node/article/a/b', 'jsonapi'],
    ['/docs/jsonapi//node//article//resource/schema/', 'schema'],
    ['/docs/jsonapi/openapi.json', 'openapi'],
    ['/docs/jsonapi/openapixjson', 'jsonapi'],
    ['/docs/jsonapi/menu_items/main', 'menu'],
    ['/docs/jsonapi/_jobs/1', 'jsonapi-job'],
    ['/docs/v1/api/content/_jobs/1', 'rest-job'],
    ['/docs/api/content', 'rest-entry'],
    ['/docs/v1/api/content/', 'rest-entry'],
    ['/docs/api/content/articles', 'rest'],
    ['/docs/subrequests?_format=json', 'subrequests'],
    ['/docs/content-files/a/b.png', 'content-file'],
    ['/docs/jsonapi-explorer/', 'explorer'],
    ['/docs/jsonapi-explorer/schema.json', 'explorer-schema'],
    ['/docs/healthz/', 'health'],
    ['/docs/user/login', 'login'],
    ['/docs/admin', 'admin'],
    ['/docs/admin/edit/node/article/a/b', 'admin'],
    ['/docs/node/add/article', 'add-link'],
    ['/docs/node/a%2Fb/edit', 'edit-link'],
    ['/docs/jsonapi/_me', 'me'],
  ])('%s is %s', (path, name) => {
    expect(nameOf(path)).toBe(name);
  });

  it.each([
    '/',
    '/docs',
    '/docsjsonapi',
    '/jsonapi',
    '/docs/jsonapix',
    '/docs/api',
    '/docs/HEALTHZ',
    '/docs/user/Login',
    '/docs/subrequests/deeper',
    '/docs/administration',
    '/docs/Admin',
    '/docs/node/a/b/edit',
    '/docs/jsonapi-explorer/page.js',
  ])('%s belongs to the site', (path) => {
    expect(nameOf(path)).toBeUndefined();
  });

  it('is below the prefix, except routes that Drupal clients expect', () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'fr'] });
    const prefixed = createRouteMatcher(ROUTES, { ...SITE, prefix: '/cms', languages });
    const routeAt = (path: string) => prefixed(`${ORIGIN}/docs${path}`)?.route;
    for (const path of [
      '/jsonapi',
      '/jsonapi/node/article',
      '/api/content',
      '/v1/api/content/a',
      '/jsonapi-explorer',
    ]) {
      expect(routeAt(`/cms${path}`)?.name, path).toBe(nameOf(`/docs${path}`));
      expect(routeAt(path), path).toBeUndefined();
    }
    expect(routeAt('/fr/cms/jsonapi/node/article')).toMatchObject({ path: '/cms/jsonapi' });
    for (const path of [
      '/router/translate-path',
      '/user/login',
      '/admin',
      '/subrequests',
      '/content-files/a.png',
    ]) {
      expect(routeAt(path)?.name, path).toBe(nameOf(`/docs${path}`));
    }
  });

  it('has the parts of the URL, as sent', () => {
    expect(match('http://[::1]:4321/docs/API/content/a%2Fb/?page=2#top')).toMatchObject({
      origin: 'http://[::1]:4321',
      pathname: '/docs/API/content/a%2Fb/',
      rest: '/a%2Fb/',
      query: 'page=2',
    });
    expect(match(`${ORIGIN}/docs/jsonapi?a=1?b=2`)).toMatchObject({ query: 'a=1?b=2' });
    expect(match(`${ORIGIN}/docs/jsonapi?`)).toMatchObject({ pathname: '/docs/jsonapi', query: '' });
    expect(match(`${ORIGIN}/docs/jsonapi#?`)).toMatchObject({ pathname: '/docs/jsonapi', query: '' });
  });

  it('may lack the base, except in addresses for signing in', () => {
    const lenient = createRouteMatcher(ROUTES, SITE, 'optional');
    expect(lenient(`${ORIGIN}/jsonapi`)?.route.name).toBe('entry');
    expect(lenient(`${ORIGIN}/user/login`)).toBeUndefined();
  });

  it('yields to a page of the site, except for programs and setup links', () => {
    const matchBesidePage = createRouteMatcher(ROUTES, { ...SITE, ownPages: ['/user/login'] });
    expect(matchBesidePage(`${ORIGIN}/docs/user/login`)).toBeUndefined();
    for (const query of ['_format=json', 'setup=x']) {
      expect(matchBesidePage(`${ORIGIN}/docs/user/login?${query}`)?.route.name).toBe('login');
    }
  });

  it('depends on the options', () => {
    const off = createRouteMatcher(ROUTES, { base: '', explorer: false, health: false });
    for (const path of ['/jsonapi-explorer', '/healthz', '/user/login', '/oauth/token'])
      expect(off(ORIGIN + path)).toBeUndefined();
    expect(off(`${ORIGIN}/jsonapi`)?.route.name).toBe('entry');
  });
});

it('the site keeps the paths of its own pages below /admin and /node', () => {
  const own = { ...SITE, ownPages: ['/admin', '/node'] };
  const patterns = routePatterns(ROUTES, own).filter((pattern) => /^\/(?:admin|node)/.test(pattern));
  expect(patterns).toEqual([]);
  const matchBesidePages = createRouteMatcher(ROUTES, own);
  for (const path of ['/admin', '/admin/x?setup=y', '/node/a/edit', '/node/add/article']) {
    expect(matchBesidePages(`${ORIGIN}/docs${path}`)).toBeUndefined();
  }
  expect(matchBesidePages(`${ORIGIN}/docs/jsonapi/_me`)?.route.name).toBe('me');
});

it('Astro has a pattern for every route', () => {
  expect(routePatterns(ROUTES, { ...SITE, ownPages: ['/user/login'] }).toSorted()).toEqual([
    '/_redirect',
    '/_shared/[...path]',
    '/admin/[...path]',
    '/api/content/[...path]',
    '/content-files/[...path]',
    '/healthz',
    '/jsonapi-explorer',
    '/jsonapi-explorer/explain.json',
    '/jsonapi-explorer/schema.json',
    '/jsonapi/[...path]',
    '/next/draft-url',
    '/next/preview-url',
    '/node/[id]/edit',
    '/node/add/[bundle]',
    '/oauth/token',
    '/router/translate-path',
    '/session/token',
    '/subrequests',
    '/user/login_status',
    '/user/logout',
    '/user/password',
    '/v1/api/content/[...path]',
  ]);
});

it('methods have the same order on all routes', () => {
  const addresses = Object.values(ADDRESSES).flatMap((each) => Object.values(each));
  const all = [...ROUTES.map(methodsOf), ...addresses.map(methodsAt)];
  const order = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const methods of all) expect(methods).toEqual(order.filter((each) => methods.some((m) => m === each)));
});

it('route paths are reserved regardless of options', () => {
  expect(
    ['/jsonapi/health', '/user/login', '/jsonapi-explorer/x'].map((path) => isReservedPath(ROUTES, path)),
  ).toEqual([true, true, true]);
  expect(['/healthz', '/user', '/jsonapi-health'].map((path) => isReservedPath(ROUTES, path))).toEqual([
    false,
    false,
    false,
  ]);
});

describe('a site with languages', () => {
  const languages = siteLanguages({
    defaultLocale: 'en',
    locales: ['en', { path: 'french', codes: ['fr'] }],
  });
  const matchLanguage = createRouteMatcher(ROUTES, { ...SITE, languages });

  it.each([
    ['/docs/french/jsonapi/node/article/a', 'jsonapi', 'fr', '/node/article/a'],
    ['/docs/FRENCH/jsonapi', 'entry', 'fr', ''],
    ['/docs/en/api/content/articles', 'rest', 'en', '/articles'],
    ['/docs/jsonapi/node/article', 'jsonapi', undefined, '/node/article'],
  ])('matches %s', (path, name, language, rest) => {
    const target = matchLanguage(ORIGIN + path);
    expect([target?.route.name, target?.language, target?.rest]).toEqual([name, language, rest]);
  });

  it.each(['/docs/fr/jsonapi', '/docs/french/healthz', '/docs/french/user/login', '/docs/french'])(
    'leaves %s to the site',
    (path) => {
      expect(matchLanguage(ORIGIN + path)).toBeUndefined();
    },
  );

  it('has patterns for Astro below the path of each language', () => {
    const patterns = routePatterns(ROUTES, { ...SITE, languages });
    expect(patterns.filter((pattern) => pattern.startsWith('/french')).toSorted()).toEqual([
      '/french/api/content/[...path]',
      '/french/jsonapi/[...path]',
      '/french/router/translate-path',
      '/french/subrequests',
      '/french/v1/api/content/[...path]',
    ]);
  });
});
