import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nameProblem } from '../../integration/core/storage/file-name.ts';
import { defineSchema, file, image, reference, z } from '../../integration/schema.ts';
import { sample } from '../oracle/runs.ts';
import { png } from '../support/pictures.ts';
import { type AttackedSite, article, CANARY, openAttackedSite, type TestResponse } from './attacked-site.ts';

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_cover: image().nullish(),
    field_papers: z.array(file()).default([]),
    field_kit: z.object({ name: z.string().nullish(), picture: image().nullish() }).nullish(),
  },
  person: {},
  tag: {},
});

const secret = (what: string) => `---\ntitle: ${CANARY} ${what}\n---\n${CANARY}\n`;
/** `content` has links that lead outside; everything with the canary is outside. */
const FILES = {
  'content/article/moon.md': '---\ntitle: Moon\nfield_cover: moon.png\n---\n![](moon.png)\n',
  'content/article/moon.png': png(1, 1),
  'content/article/loose.pdf': `%PDF-${CANARY}`,
  'content/person/jane.md': '---\ntitle: Jane\n---\n',
  'content/tag/sky.md': '---\ntitle: Sky\n---\n',
  'content/schema.ts': `// ${CANARY}`,
  'content/.env': CANARY,
  'content/_drafts/x.md': secret('marked'),
  'etc/passwd': `root:${CANARY}`,
  'secret.md': secret('beside'),
  'secret.png': new Uint8Array([...png(2, 2), ...Buffer.from(CANARY)]),
  'content-other/article/x.md': secret('of a like name'),
  'article/x.md': secret('of the same name'),
  'public/shown.png': png(3, 3),
  '.jsonapi/accounts.json': `{"${CANARY}":[]}`,
};

let site: AttackedSite;
let around: ReadonlyMap<string, string>;
/** The content at the last check. */
let before: ReadonlyMap<string, string>;
beforeAll(async () => {
  site = await openAttackedSite(FILES, SCHEMA, { settings: { explorer: true } }, (root) => {
    const out = (target: string, link: string) =>
      symlinkSync(path.join(root, target), path.join(root, 'content', link));
    out('secret.md', 'article/out.md');
    out('secret.png', 'article/out.png');
    out('etc', 'article/etc');
    out('content-other/article', 'elsewhere');
    out('nothing/there.md', 'article/nowhere.md');
    mkdirSync(path.join(root, 'content/article/empty'));
  });
  around = site.around();
  before = site.content();
});

const NAMES: readonly string[] = [
  // Plain paths, with both kinds of slashes, absolute paths and URLs.
  ...[
    '..',
    '.',
    '../secret',
    '../secret.md',
    '../../secret.md',
    '../../../../../../etc/passwd',
    'x/../../secret',
  ],
  ...['./moon', 'article/../../secret.md', '....//....//secret', '..;/secret', '../content-other/article/x'],
  ...['/etc/passwd', '//etc/passwd', '/', '//', '~/.ssh/id_rsa', 'file:///etc/passwd', 'file:../secret.md'],
  ...[
    'content://../secret.md',
    'content:///etc/passwd',
    'content://article/../../secret.md',
    'public://../secret.png',
  ],
  ...['..\\secret.md', '..\\..\\secret.md', '\\etc\\passwd', '..\\/secret', 'x\\..\\..\\secret'],
  // Encoded paths: once, twice, overlong UTF-8 and legacy encodings.
  ...[
    '%2e%2e%2fsecret.md',
    '%2e%2e/secret.md',
    '..%2fsecret.md',
    '..%5csecret.md',
    '%252e%252e%252fsecret.md',
  ],
  ...['%c0%ae%c0%ae%c0%afsecret.md', '%e0%80%ae%e0%80%ae/secret', '%u002e%u002e%u2215secret', '%00', '%'],
  // Lookalikes of dots and slashes, and invisible characters.
  ...['．．／secret.md', '。。/secret', '‥/secret', '․․/secret', '..∕secret', '..⁄secret', '..＼secret'],
  ...['..\u200b/secret', '\u200b../secret', '\u202e..\u202c/secret', '.\u2060./secret', '\ufeff../secret'],
  ...[
    'e\u0301/../../secret',
    '\u00e9/../secret',
    '\ud800/../secret',
    '.git/config',
    '.\u200cgit/config',
    'git~1/config',
  ],
  // Windows paths.
  ...[
    'con',
    'CON',
    'con.md',
    'nul',
    'aux.png',
    'com1',
    'lpt9.txt',
    'a:b',
    'a::$DATA',
    'moon.md::$DATA',
    'C:\\secret',
  ],
  ...[
    'C:secret',
    'c:/secret',
    '\\\\?\\C:\\secret',
    '\\\\server\\share',
    'x.',
    'x ',
    ' x',
    'x. .',
    'moon.md.',
    'MOON',
  ],
  // Terminators and long paths.
  ...[
    '../secret.md\0.png',
    'x\0',
    '\0',
    'x\n../secret',
    'x\r\n',
    '\t',
    '',
    ' ',
    'a'.repeat(300),
    'a/'.repeat(500),
  ],
  ...['../'.repeat(2000), 'ä'.repeat(200), '.'.repeat(300)],
  // Links that lead outside, hidden files and the server's own files.
  ...[
    'out',
    'out.md',
    'out.png',
    'etc/passwd',
    'etc',
    '../elsewhere/x',
    'nowhere',
    'empty',
    '../schema',
    '../schema.ts',
  ],
  ...[
    '../.env',
    '../_drafts/x',
    '_x',
    '.x',
    '.astro-jsonapi-lock',
    '../.astro-jsonapi-lock',
    '../_gone.jsonl',
  ],
  ...[
    'loose.pdf',
    'moon.md',
    './moon.md',
    'moon.png/x',
    'moon.md/x',
    '__proto__',
    '*',
    '?',
    '|',
    '<x>',
    '"',
    '$(x)',
  ],
];

/** A path as a URL segment: as it is, encoded once and encoded twice. */
const inAddress = (text: string): readonly string[] => {
  const once = encodeURIComponent(text.toWellFormed());
  const raw = encodeURI(text.toWellFormed()).replaceAll('%25', '%').replace(/[?#]/g, encodeURIComponent);
  return [
    ...new Set([raw, once, encodeURIComponent(once), text.toWellFormed() === text ? once : '%ed%a0%80']),
  ];
};

/** Sends a request and checks that nothing outside the content was read or changed. */
async function attack(method: string, address: string, body?: unknown, headers = {}): Promise<TestResponse> {
  const answer = await site.request(method, address, { body, headers });
  expect(answer.text.replaceAll('loose.pdf', '')).not.toContain(CANARY);
  expect(answer.text).not.toContain(site.root);
  expect(JSON.stringify([...answer.headers])).not.toContain(CANARY);
  return answer;
}

const WRITTEN =
  /^(_gone\.jsonl|\.bin(\/entries\.jsonl|\/node--\w+)?|(\.bin\/node--)?(article|person|tag)\/[a-z0-9-]+\.(md|png|pdf))$/;

/** Returns the files that were added since the last check. */
function checkFiles(): readonly string[] {
  expect(site.around()).toEqual(around);
  const added: string[] = [];
  const after = site.content();
  for (const [name, bytes] of after) {
    if (before.get(name) === bytes) continue;
    // Only articles may change among the existing files.
    if (before.has(name))
      expect(name).toMatch(/^(_gone\.jsonl|\.bin\/entries\.jsonl|article\/[a-z0-9-]+\.md)$/);
    else added.push(name);
    expect(name).toMatch(WRITTEN);
    expect(nameProblem(name.slice(name.lastIndexOf('/') + 1))).toBeUndefined();
    expect(bytes).not.toContain(CANARY);
  }
  before = after;
  return added;
}

const tried = sample(NAMES).map((name) => [JSON.stringify(name).slice(0, 60), name] as const);
describe.each(tried)('%s', (_, name) => {
  it('reads nothing in any part of a URL', async () => {
    const addresses = inAddress(name).flatMap((part) => [
      `/content-files/${part}`,
      `/content-files/article/${part}`,
      `/jsonapi/node/article/${part}`,
      `/jsonapi/node/article/${part}/relationships/field_tags`,
      `/jsonapi/node/article/moon/${part}`,
      `/jsonapi/node/${part}/moon`,
      `/jsonapi/${part}/article/moon`,
      `/jsonapi/menu_items/${part}`,
      `/jsonapi/node/article/moon?resourceVersion=${part}`,
      `/jsonapi/node/article?include=${part}`,
      `/jsonapi/node/article?filter[id]=${part}`,
      `/jsonapi/node/article?filter[field_cover.uri.value]=${part}`,
      `/api/content/articles/${part}`,
      `/v1/api/content/articles/moon/${part}`,
      `/api/content/${part}/moon`,
      `/router/translate-path?path=${part}`,
      `/router/translate-path?path=/node/article/${part}`,
      `/jsonapi-explorer/explain.json?url=/jsonapi/node/article/${part}`,
    ]);
    for (const address of addresses) {
      // Longer URLs are a 414.
      const { status } = await attack('GET', address);
      expect([200, 400, 404, 414], `${address} ${status}`).toContain(status);
      await attack('OPTIONS', address);
    }
    expect(checkFiles()).toEqual([]);
  });

  it('changes nothing outside the content in the URL of a write', async () => {
    for (const part of inAddress(name)) {
      const data = { type: 'node--article', id: name, attributes: { title: 'X' } };
      for (const address of [
        `/jsonapi/node/article/${part}`,
        `/jsonapi/node/${part}`,
        `/jsonapi/node/${part}/moon`,
        `/jsonapi/node/article/${part}/relationships/field_tags`,
        `/content-files/article/${part}`,
      ]) {
        // URLs with dots may resolve to another resource, which a DELETE would remove.
        if (new URL(`https://x${address}`).pathname.includes('/article/moon')) continue;
        await attack('PATCH', address, { data });
        await attack('DELETE', address);
      }
      const put = { 'if-none-match': '*' };
      const { status } = await attack('PUT', `/api/content/articles/${part}`, { title: 'By PUT' }, put);
      expect([201, 400, 404, 405, 409, 412, 414, 422]).toContain(status);
      await attack('PUT', `/api/content/${part}/x`, { title: 'By PUT' }, put);
      await attack('POST', `/api/content/${part}`, { title: 'By POST' });
    }
    checkFiles();
  });

  it('as id, type or title writes only into the bundle', async () => {
    for (const more of [{ id: name }, { type: name }, { lid: name }]) {
      await attack('POST', '/jsonapi/node/article', article({ title: `As ${Object.keys(more)[0]}` }, more));
      await attack('POST', '/api/content/articles', { title: 'Flat', ...more });
    }
    await attack('POST', '/jsonapi/node/article', article({ title: name }));
    await attack('POST', '/api/content/articles', { title: name, path: { alias: name }, langcode: name });
    await attack('POST', '/jsonapi/node/article', article({ title: 'Aliased', path: { alias: name } }));
    checkFiles();
  });

  it('as a reference, an image or a file refers to nothing outside the content', async () => {
    const values = [
      { field_author: name },
      { field_author: { type: name, id: 'jane' } },
      { field_author: { type: 'person', id: name } },
      { field_tags: [`tag/${name}`] },
      { field_cover: name },
      { field_cover: { src: name } },
      { field_cover: { uri: { value: name } } },
      { field_papers: [name, `content://${name}`, `content://article/${name}`] },
      { field_kit: { name, picture: name } },
      { body: `![](<${name}>)\n\n<img src="${name}">\n` },
    ];
    for (const value of values) {
      const { status, json } = await attack('PATCH', '/api/content/articles/moon', value);
      if (status !== 201) continue;
      const cover = JSON.stringify(json.data.field_cover?.uri ?? {});
      expect(cover).not.toMatch(/\.\.|out\.png|etc|secret\.|schema|\.md|\.env|\/_|jsonl|lock/);
    }
    const linkage = { data: { type: 'file--file', id: name } };
    await attack(
      'POST',
      '/jsonapi/node/article',
      article({ title: 'Linked' }, { relationships: { field_cover: linkage } }),
    );
    await attack('PATCH', '/jsonapi/node/article/moon/relationships/field_author', {
      data: { type: 'node--person', id: name },
    });
    await attack('POST', '/jsonapi/node/article/moon/relationships/field_tags', {
      data: [{ type: name, id: 'sky' }],
    });
    checkFiles();
  });

  it('is never the name of an uploaded file', async () => {
    for (const written of [
      `file; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}.png`,
      `file; filename="${name.replace(/[^ -~]|["\\]/g, '_')}.png"`,
      `file; filename="x.png"; path="${name.replace(/[^ -~]|["\\]/g, '_')}"`,
    ]) {
      const headers = { 'content-type': 'application/octet-stream', 'content-disposition': written };
      await attack('POST', '/jsonapi/node/article/field_cover', png(4, 4), headers);
      await attack('POST', '/jsonapi/node/article/moon/field_cover', png(4, 4), headers);
    }
    checkFiles();
  });
});

it('writes never follow links that lead outside', async () => {
  for (const id of ['out', 'nowhere']) {
    const { status } = await attack(
      'POST',
      '/jsonapi/node/article',
      article({ title: 'Through a link' }, { id }),
    );
    expect(status).toBe(422);
  }
  expect(checkFiles()).toEqual([]);
});

it('a link that is added while the server runs is not followed either', async () => {
  const created = await attack(
    'POST',
    '/jsonapi/node/article',
    article({ title: 'Swapped' }, { id: 'swapped' }),
  );
  expect(created.status).toBe(201);
  const { rmSync } = await import('node:fs');
  rmSync(path.join(site.root, 'content/article/swapped.md'));
  symlinkSync(path.join(site.root, 'secret.md'), path.join(site.root, 'content/article/swapped.md'));
  const data = { type: 'node--article', id: 'swapped', attributes: { title: 'Changed' } };
  expect((await attack('PATCH', '/jsonapi/node/article/swapped', { data })).status).toBe(404);
  expect((await attack('GET', '/jsonapi/node/article/swapped')).status).toBe(404);
  expect((await attack('DELETE', '/jsonapi/node/article/swapped')).status).toBe(404);
  expect(site.around()).toEqual(around);
});
