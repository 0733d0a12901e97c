import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { adminFiles, adminPage } from '../../../integration/features/admin/admin-page.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

/** The text of all elements with a tag name. */
function texts(html: string, tag: string): readonly string[] {
  return [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))].map(
    (match) => match[1] ?? '',
  );
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

describe('the admin page', () => {
  const html = adminPage({ base: '/docs', mode: 'server' });
  const [config = '', script = ''] = texts(html, 'script');

  test('contains its configuration', () => {
    expect(JSON.parse(config)).toEqual({ base: '/docs', mode: 'server' });
  });
  test('contains one complete script without imports', () => {
    expect(texts(html, 'script')).toHaveLength(2);
    expect(() => new Script(script)).not.toThrow();
    expect(script).toContain('jsonapi-explorer/schema.json');
  });
  test('allows its own style and script, its own origin, and nothing else', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy).toContain(`script-src ${digest(script)};`);
    expect(policy).toContain(`style-src ${digest(texts(html, 'style')[0] ?? '')};`);
    expect(policy).toContain("default-src 'none'; ");
    expect(html).not.toMatch(/<(?:link|script|img)[^>]*(?:src|href)="(?:https?:)?\/\//);
  });
  test('contains the engine first, and allows it, if the site has a snapshot', () => {
    const page = adminPage({ base: '/docs', mode: 'snapshot' });
    const [, engine = '', app = ''] = texts(page, 'script');
    expect(app).toBe(script);
    expect(page).toContain(`script-src ${digest(engine)} ${digest(app)};`);
  });
  test('has its style and scripts in files of a static site, and nothing inline', () => {
    const files = adminFiles({ base: '/docs', prefix: '/v1', mode: 'snapshot' });
    const page = files.get('index.html') ?? '';
    expect([...files.keys()].map((name) => name.replace(/\.[\da-f]{16}\./, '.#.'))).toEqual([
      'app.#.css',
      'snapshot.#.js',
      'app.#.js',
      'index.html',
    ]);
    const addresses = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1]);
    expect(addresses).toEqual(
      [...files.keys()].slice(0, 3).map((name) => `/docs/v1/jsonapi-explorer/${name}`),
    );
    expect(page).toContain("script-src 'self'; style-src 'self';");
    expect(texts(page, 'style')).toEqual([]);
    expect(texts(page, 'script').slice(1)).toEqual(['', '']);
  });
  test('escapes a base that would end its element', () => {
    const odd = adminPage({ base: '/</script><b>', mode: 'files' });
    expect(texts(odd, 'script')).toHaveLength(2);
    expect(JSON.parse(texts(odd, 'script')[0] ?? '')).toEqual({ base: '/</script><b>', mode: 'files' });
  });
});

test('the sources of the admin application never parse data as HTML', () => {
  const root = path.resolve(import.meta.dirname, '../../../admin/src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:ts|svelte)$/.test(file),
  );
  // It writes a page of the site into a frame.
  const preview = 'screens/preview/frame.ts';
  const unsafe = /\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/;
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => unsafe.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([preview]);
});

describe('the response to a request for the admin page', () => {
  test.each([
    ['GET', 200, 'text/html; charset=utf-8', 'page'],
    ['HEAD', 200, 'text/html; charset=utf-8', ''],
    ['OPTIONS', 204, null, ''],
  ])('%s has the status %i and cannot be framed', async (method, status, contentType, body) => {
    const response = await request(method);
    expect([response?.status, response?.headers.get('content-type'), await response?.text()]).toEqual([
      status,
      contentType,
      body,
    ]);
    expect(response?.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    expect(response?.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('POST is not allowed', async () => {
    const response = await request('POST');
    expect([response?.status, response?.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  async function request(method: string) {
    const services = await createServices(createMemoryDriver({}), undefined, {
      settings: { explorer: true },
    });
    const url = 'https://site.example/jsonapi-explorer';
    return createHandler(services)(new Request(url, { method }), { explorerPage: () => 'page' });
  }
});
