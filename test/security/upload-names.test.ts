import { beforeEach, describe, expect, it } from 'vitest';
import type { Handler } from '../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../integration/core/storage/driver.ts';
import { nameProblem } from '../../integration/core/storage/file-name.ts';
import { defineSchema, file, image } from '../../integration/schema.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { png } from '../support/pictures.ts';
import { fetchFrom } from '../support/request.ts';
import { createServices } from '../support/services.ts';

const SCHEMA = defineSchema({
  article: { field_cover: image().nullish(), field_paper: file().nullish() },
});
const EDITOR = { name: 'ada', roles: ['editor'] };

let driver: WritableDriver;
let handle: Handler;
beforeEach(async () => {
  driver = createMemoryDriver({
    'article/moon.md': '---\ntitle: Moon\n---\n',
    'article/Cover.PNG': png(1, 1),
    'person/secret.png': png(2, 2),
  });
  handle = createHandler(await createServices(driver, SCHEMA, { writable: {} }));
});

/** The status, and the keys of the added files. */
async function store(disposition: string, bytes: Uint8Array | string = png(3, 2), field = 'field_cover') {
  const before = new Set((await driver.list()).files.map(({ key }) => key));
  const response = await fetchFrom(handle, `/jsonapi/node/article/${field}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'content-disposition': disposition },
    body: bytes,
    actor: EDITOR,
  });
  const files = (await driver.list()).files.map(({ key }) => key).filter((key) => !before.has(key));
  return { status: response.status, files, document: await response.json() };
}

const named = (name: string) => `file; filename="${name.replace(/["\\]/g, '\\$&')}"`;
const encoded = (name: string) => `file; filename*=UTF-8''${encodeURIComponent(name)}`;

describe('upload names', () => {
  it.each([
    ['../../etc/passwd.png', 'passwd.png'],
    ['/etc/cron.d/x.png', 'x.png'],
    ['..\\..\\windows\\x.png', 'x.png'],
    ['C:\\fakepath\\x.png', 'x.png'],
    ['....//....//x.png', 'x.png'],
    ['%2e%2e%2fx.png', '2e-2e-2fx.png'],
    ['..%5c..%5cx.png', '5c-5cx.png'],
    ['..／..／x.png', 'x.png'],
    ['.png', 'untitled.png'],
    ['...png', 'untitled.png'],
    ['.htaccess.png', 'htaccess.png'],
    ['.git/hooks.png', 'hooks.png'],
    ['_hidden.png', 'hidden.png'],
    ['-rf.png', 'rf.png'],
    ['con.png', 'con-2.png'],
    ['NUL.png', 'nul-2.png'],
    ['lpt1.tar.png', 'lpt1-tar.png'],
    ['index.png', 'index-2.png'],
    ['x.php.png', 'x-php.png'],
    ['x.html.PNG', 'x-html.png'],
    ['x.md.png', 'x-md.png'],
    ['git~1.png', 'git-1.png'],
    ['a b  c.png', 'a-b-c.png'],
    ['Ä ö ß é.png', 'a-o-ss-e.png'],
    ['写真.png', 'xie-zhen.png'],
    ['e\u0301\u200b\u202e.png', 'e.png'],
    ['\u202egnp.x.png', 'gnp-x.png'],
    ['$(rm -rf ~)`id`.png', 'rm-rf-id.png'],
    ["x'; drop table--.png", 'x-drop-table.png'],
    ['<img onerror=x>.png', 'img-onerror-x.png'],
    ['x\u0000.png', 'x.png'],
    ['x\r\nSet-Cookie: a=b.png', 'x-set-cookie-a-b.png'],
    ['__proto__.png', 'proto.png'],
    ['cover.png', 'cover-2.png'],
  ])('are sanitized: %j', async (sent, name) => {
    const { status, files } = await store(encoded(sent));
    expect({ status, files }).toEqual({ status: 201, files: [`article/${name}`] });
    expect(nameProblem(name)).toBeUndefined();
  });

  it('are shortened if they are too long for a file system', async () => {
    const { files } = await store(named(`${'long name '.repeat(100)}.png`));
    expect(files).toHaveLength(1);
    expect(files[0]!.length).toBeLessThan(100);
  });

  it.each([
    'x.svg',
    'x.svgz',
    'x.html',
    'x.htm',
    'x.xhtml',
    'x.shtml',
    'x.xml',
    'x.js',
    'x.mjs',
    'x.ts',
    'x.php',
    'x.phar',
    'x.exe',
    'x.sh',
    'x.bat',
    'x.jar',
    'x.wasm',
    'x.swf',
    'x.md',
    'x.mdx',
    'x.markdown',
    'x.json',
    'x.yaml',
    'x.yml',
    'schema.ts',
    'x.docm',
    'x',
    'x.',
    'x.png.',
    'x.png ',
    'x.png/',
    'x.png\u0000.svg',
    'x.png::$DATA',
    'x.png;.html',
    'x．png',
    'x.ｐｎｇ',
    'x.png\u202egvs',
    'x.constructor',
    'x.__proto__',
    'x.toString',
    '..',
    '/',
  ])('are rejected if their type is not allowed: %j', async (sent) => {
    for (const field of ['field_cover', 'field_paper']) {
      const { status, files, document } = await store(encoded(sent), '<svg xmlns="x"></svg>', field);
      expect({ status, files }).toEqual({ status: 422, files: [] });
      expect(document.errors[0].source).toEqual({ header: 'Content-Disposition' });
    }
  });

  it.each([
    ['nothing', ''],
    ['no name', 'file'],
    ['an empty name', 'file; filename=""'],
    ['another parameter', 'file; name="x.png"'],
  ])('are required: %s', async (_what, disposition) => {
    const { status, files } = await store(disposition);
    expect({ status, files }).toEqual({ status: 400, files: [] });
  });

  it.each([
    ['quoted', 'file; filename="harbour.png"', 'harbour.png'],
    ['bare', 'file; filename=harbour.png', 'harbour.png'],
    ['like Drupal clients', 'file; filename="My harbour.png"', 'my-harbour.png'],
    ['of an attachment', 'attachment; filename="harbour.png"', 'harbour.png'],
    ['with escapes', 'file; filename="har\\"bour.png"', 'har-bour.png'],
    ['in both forms', 'file; filename="x.png"; filename*=UTF-8\'\'h%C3%A4fen.png', 'hafen.png'],
    [
      'in UTF-8, contrary to HTTP',
      `file; filename="${Buffer.from('häfen.png').toString('latin1')}"`,
      'hafen.png',
    ],
    ['in Latin letters', 'file; filename="h\u00e4fen.png"', 'hafen.png'],
  ])('are read %s', async (_how, disposition, name) => {
    expect((await store(disposition)).files).toEqual([`article/${name}`]);
  });

  it('never replace a file, even concurrently', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => store(named('x.png'))));
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const keys = (await driver.list()).files
      .map(({ key }) => key)
      .filter((key) => key.startsWith('article/x'));
    expect(keys).toEqual([
      'article/x-2.png',
      'article/x-3.png',
      'article/x-4.png',
      'article/x-5.png',
      'article/x.png',
    ]);
    expect(await driver.read('article/Cover.PNG')).toEqual(png(1, 1));
  });
});
