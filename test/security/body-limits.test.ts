import { gzipSync } from 'node:zlib';
import { satteri } from '@astrojs/markdown-satteri';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBodyRenderer } from '../../integration/astro/markdown.ts';
import { MAX_FILE_VALUES } from '../../integration/core/content/encode/encode-file.ts';
import { DEFAULT_LIMITS } from '../../integration/core/engine/limits.ts';
import { MAX_BODY_VALUES } from '../../integration/core/write/request-json.ts';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { sample } from '../oracle/runs.ts';
import {
  type AttackedSite,
  article,
  EDITOR,
  ORIGIN,
  openAttackedSite,
  type TestResponse,
} from './attacked-site.ts';

const SCHEMA = defineSchema({
  article: {
    field_tags: z.array(reference('tag')).default([]),
    field_words: z.array(z.string()).default([]),
    field_text: z.string().nullish(),
    field_number: z.number().nullish(),
    field_any: z.json().nullish(),
  },
  tag: {},
});
const SCHEMA_WITH_TIMES = defineSchema({
  article: { field_any: z.json().nullish(), changed: z.iso.datetime({ offset: true }).nullish() },
});
const TAGS = 300;
const FILES = {
  'content/article/moon.md': '---\ntitle: Moon\n---\nText.\n',
  ...Object.fromEntries(
    Array.from({ length: TAGS }, (_, at) => [`content/tag/t${at}.md`, `---\ntitle: Tag ${at}\n---\n`]),
  ),
  'public/x.txt': '',
};
const LIMIT = 1_000_000;
/** CPU seconds that one request may take. CPU time is independent of other load on the machine. */
const MAX_SECONDS = 3;

const renderBody = createBodyRenderer({
  createRenderer: () => satteri().createRenderer({ syntaxHighlight: 'shiki' }),
  contentUrl: undefined,
});

let site: AttackedSite;
let small: AttackedSite;
beforeAll(async () => {
  site = await openAttackedSite(FILES, SCHEMA, { renderBody });
  small = await openAttackedSite(FILES, SCHEMA, {
    settings: { limits: { ...DEFAULT_LIMITS, bodyBytes: LIMIT, uploadBytes: LIMIT } },
  });
});

/** Sends a request and checks its CPU time. */
async function timely(method: string, path: string, body: unknown, at = site): Promise<TestResponse> {
  const before = process.cpuUsage();
  const answer = await at.request(method, path, { body });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(MAX_SECONDS);
  return answer;
}

/** The number of members and items in a JSON text. */
function valuesIn(json: string): number {
  let count = -1;
  JSON.parse(json, () => {
    count += 1;
  });
  return count;
}

/** Both ways to change the article, given its fields as JSON text. */
const BOTH = [
  [
    '/jsonapi',
    '/jsonapi/node/article/moon',
    (fields: string) => `{"data":{"type":"node--article","id":"moon","attributes":${fields}}}`,
  ],
  ['/api/content', '/api/content/articles/moon', (fields: string) => fields],
] as const;
const DONE = [200, 201];

describe.each(BOTH)('%s', (_, path, bodyOf) => {
  const send = (fields: string, at = site) => timely('PATCH', path, bodyOf(fields), at);

  it('reads a body up to its limit', async () => {
    const fields = `{"field_text":"x"}`;
    const room = LIMIT - bodyOf(fields).length;
    const whole = bodyOf(fields) + ' '.repeat(room);
    expect((await small.request('PATCH', path, { body: whole })).status).toBeOneOf(DONE);
    const refused = await small.request('PATCH', path, { body: `${whole} ` });
    expect(refused.status).toBe(413);
    expect(refused.text).toContain(`The body may have at most ${LIMIT} bytes (limits.bodyBytes).`);
  });

  it('a body with a larger Content-Length is rejected unread', async () => {
    let read = 0;
    const endless = new ReadableStream({
      pull(controller) {
        read += 1;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const { status } = await streamed(small, path, endless, { 'content-length': '99999999999' });
    expect({ status, read: read <= 1 }).toEqual({ status: 413, read: true });
  });

  it.each([
    ['nothing', {}],
    ['too little', { 'content-length': '3' }],
    ['no number', { 'content-length': 'x' }],
  ])(
    'an endless body with %s as Content-Length is cancelled as soon as it is too large',
    async (__, headers) => {
      let read = 0;
      let left = false;
      const endless = new ReadableStream({
        pull(controller) {
          read += 1;
          controller.enqueue(new Uint8Array(100_000).fill(32));
        },
        cancel() {
          left = true;
        },
      });
      const { status } = await streamed(small, path, endless, headers);
      expect({ status, left }).toEqual({ status: 413, left: true });
      expect(read).toBeLessThan(15);
    },
  );

  it('an incomplete or missing body is a 400', async () => {
    for (const body of [
      '',
      ' ',
      '{',
      '[',
      '"',
      'null',
      '1',
      '[]',
      '{}x',
      '{"data":',
      '\u0000',
      'undefined',
      '<x/>',
    ]) {
      expect((await timely('PATCH', path, body)).status, body).toBeOneOf(body === '{}' ? DONE : [400]);
    }
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"a":', '}]'],
    ['unclosed arrays', '[', ''],
  ])('deeply nested %s are rejected quickly', async (__, open, close) => {
    for (const depth of [65, 1000, 900_000]) {
      const value = `${open.repeat(depth)}1${close.repeat(depth)}`.slice(0, 5_900_000);
      for (const fields of [`{"field_any":${value}}`, value]) {
        const { status, text } = await send(fields);
        expect(status).toBe(400);
        expect(text.length).toBeLessThan(1000);
      }
    }
  });

  it('a large number of members is rejected with a short response', async () => {
    const members = Array.from({ length: 100_000 }, (__, at) => `"a${at}":0`).join();
    for (const fields of [`{${members}}`, `{"path":{${members}}}`, `{"body":{${members}}}`]) {
      const { status, text } = await send(fields);
      expect(status).toBe(413);
      expect(text).toContain(`A request can have at most ${MAX_BODY_VALUES} values`);
      expect(text.length).toBeLessThan(1000);
    }
  });

  it('members and items are counted at all depths, up to a limit', async () => {
    const within = (count: number) => {
      const lists = JSON.stringify(Array.from({ length: count - valuesIn(bodyOf('{"a":[[]]}')) }, () => 0));
      return `{"field_any":[${lists}]}`;
    };
    expect(valuesIn(bodyOf(within(MAX_BODY_VALUES)))).toBe(MAX_BODY_VALUES);
    // Within this limit, but beyond that of a file.
    expect((await send(within(MAX_BODY_VALUES))).status).toBe(422);
    const { status, json } = await send(within(MAX_BODY_VALUES + 1));
    expect(status).toBe(413);
    expect(json.errors?.[0] ?? json.error).toMatchObject({ source: { pointer: '' } });
    expect((await send('{"field_any":null}')).status).toBeOneOf(DONE);
  });

  it('the largest number of unknown members is rejected with a short response', async () => {
    const members = Array.from({ length: 19_000 }, (__, at) => `"a${at}":0`).join();
    const { status, text } = await send(`{${members}}`);
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(100_000);
    expect((await send(`{"path":{${members}}}`)).status).toBeOneOf([...DONE, 422]);
    expect((await send(`{"body":{${members}}}`)).status).toBe(422);
  });

  const openWith = (data: string, schema: typeof SCHEMA | typeof SCHEMA_WITH_TIMES = SCHEMA) =>
    openAttackedSite({ 'content/article/moon.md': `---\n${data}---\nText.\n`, 'public/x.txt': '' }, schema);

  it('the fields of a file can have values up to a limit', async () => {
    const own = await openWith('title: Moon\n');
    const any = (count: number) =>
      `{"field_any":{${Array.from({ length: count }, (__, at) => `"a${at}":0`).join()}}}`;
    // `title` and `field_any` are values too.
    const most = MAX_FILE_VALUES - 2;
    const { status, text, json } = await send(any(most + 1), own);
    expect(status).toBe(422);
    expect(text).toContain(
      'The fields of a file may have 5000 values in total: members of objects and items of arrays. With this change they would have 5001.',
    );
    const error = json.errors?.[0] ?? json.error;
    expect(error.source.pointer).toMatch(/(?:^|\/)field_any$/);
    expect((await send(any(19_000), own)).status).toBe(422);
    expect((await send(any(most), own)).status).toBeOneOf(DONE);
    expect((await send('{"field_text":"one more"}', own)).status).toBe(422);
    expect((await send('{"title":"Full moon"}', own)).status).toBeOneOf(DONE);
    expect((await send('{"field_any":null}', own)).status).toBeOneOf(DONE);
  });

  it('a file with more values than the limit can be changed, but not grow', async () => {
    const keys = Array.from({ length: MAX_FILE_VALUES + 500 }, (__, at) => `  a${at}: 0\n`).join('');
    const own = await openWith(`title: Moon\nfield_any:\n${keys}`);
    expect((await send('{"title":"Full moon"}', own)).status).toBeOneOf(DONE);
    expect((await send('{"field_text":"one more"}', own)).status).toBe(422);
    expect((await send('{"field_text":"instead","field_any":{"a":1}}', own)).status).toBeOneOf(DONE);
  });

  it('a file with more values than the limit is served, and gets the time of its first change', async () => {
    const keys = Array.from({ length: MAX_FILE_VALUES + 500 }, (__, at) => `  a${at}: 0\n`).join('');
    const own = await openWith(`title: Moon\nfield_any:\n${keys}`, SCHEMA_WITH_TIMES);
    const { status, text } = await own.request('GET', '/jsonapi/node/article/moon');
    expect(status).toBe(200);
    expect(text).toContain(`"a${MAX_FILE_VALUES}"`);
    expect((await send('{"title":"Full moon"}', own)).status).toBeOneOf(DONE);
    expect([...own.content().values()].join('')).toMatch(/^changed: /m);
  });

  it('the last of several members with the same name counts', async () => {
    const { status, text } = await send('{"field_text":"first","field_text":"last"}');
    expect(status).toBeOneOf(DONE);
    expect(text).toContain('"field_text":"last"');
  });

  it.each([
    ['1e400', 400],
    ['-1e999', 400],
    [`1${'0'.repeat(400)}`, 400],
    ['1e15', 200],
    ['5e-324', 200],
    [`0.${'1'.repeat(1000)}`, 200],
  ])('the number %s is stored or rejected, never changed', async (number, status) => {
    for (const field of ['field_number', 'field_any', 'field_text']) {
      const answer = await send(`{"${field}":${number}}`);
      expect(answer.status).toBeOneOf(status === 200 ? DONE : [status]);
      expect(answer.text).not.toContain('nfinity');
    }
    await send('{"field_number":null,"field_any":null,"field_text":null}');
  });

  it.each([
    ['an incomplete UTF-8 sequence', [0x22, 0xc3, 0x22]],
    ['an invalid UTF-8 byte', [0x22, 0xff, 0x22]],
    ['an overlong UTF-8 sequence', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('%s is rejected and nothing is written', async (__, bytes) => {
    const before = site.content();
    const [head = '', tail = ''] = bodyOf('{"field_text":@}').split('@');
    const body = new Uint8Array([...Buffer.from(head), ...bytes, ...Buffer.from(tail)]);
    const { status, text } = await site.request('PATCH', path, { body });
    expect({ status, told: text.includes('The body is not UTF-8.') }).toEqual({ status: 400, told: true });
    expect(site.content()).toEqual(before);
  });

  it('an escaped lone surrogate is rejected, because a file cannot contain it', async () => {
    for (const fields of [
      '{"field_text":"\\ud83d"}',
      '{"field_any":{"\\udc00":1}}',
      '{"title":"x\\uD800y"}',
    ]) {
      const { status, text } = await send(fields);
      expect({ status, told: text.includes('half of a character') }).toEqual({ status: 400, told: true });
    }
    expect((await send('{"field_text":"\\ud83d\\ude00"}')).text).toContain('"field_text":"😀"');
  });

  it('a UTF-8 byte order mark is ignored; other encodings are rejected', async () => {
    const text = bodyOf('{"field_text":"marked"}');
    expect((await site.request('PATCH', path, { body: `\ufeff${text}` })).text).toContain(
      '"field_text":"marked"',
    );
    const wide = new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
    expect((await site.request('PATCH', path, { body: wide })).status).toBe(400);
  });

  it.each(['gzip', 'br', 'deflate', 'x-gzip', 'gzip, gzip', 'identity, gzip', 'nonsense'])(
    'a body with Content-Encoding %s is not decoded',
    async (encoding) => {
      const packed = new Uint8Array(gzipSync(bodyOf(`{"field_text":"${'x'.repeat(5_000_000)}"}`)));
      const headers = { 'content-encoding': encoding };
      const refused = await site.request('PATCH', path, { body: packed, headers });
      expect(refused.status).toBe(415);
      expect(refused.headers.get('accept-encoding')).toBe('identity');
      expect(refused.json.errors?.[0] ?? refused.json.error).toMatchObject({
        source: { header: 'Content-Encoding' },
      });
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/html',
    'application/xml',
    'application/octet-stream',
    'application/json, text/plain',
    'application/json/x',
    '*/*',
    '',
    ';',
    'x',
  ])('a body of type "%s" is a 415', async (type) => {
    const body = new Uint8Array(Buffer.from(bodyOf('{"field_text":"x"}')));
    expect((await site.request('PATCH', path, { body, headers: { 'content-type': type } })).status).toBe(415);
  });

  it('long texts and arrays are stored or rejected quickly', async () => {
    for (const value of sample([
      JSON.stringify('x'.repeat(2_000_000)),
      JSON.stringify('x y '.repeat(500_000)),
      JSON.stringify('- x\n'.repeat(300_000)),
      JSON.stringify(': #'.repeat(300_000)),
      JSON.stringify('\n'.repeat(500_000)),
      JSON.stringify(' '.repeat(1_000_000)),
      JSON.stringify('"\\'.repeat(300_000)),
      JSON.stringify('é\u2028'.repeat(300_000)),
    ])) {
      expect((await send(`{"field_text":${value}}`)).status).toBeOneOf([...DONE, 409, 413, 422]);
      expect((await send('{"field_text":null}')).status).toBeOneOf(DONE);
    }
    const words = JSON.stringify(Array.from({ length: 10_000 }, (__, at) => `w${at}`));
    expect((await send(`{"field_words":${words}}`)).status).toBe(422);
    expect((await send('{"field_words":[]}')).status).toBeOneOf(DONE);
  });
});

it('a large number of references is processed quickly, without duplicates', async () => {
  const address = '/jsonapi/node/article/moon/relationships/field_tags';
  const tags = Array.from({ length: TAGS }, (_, at) => ({ type: 'node--tag', id: `t${at}` }));
  const many = Array.from({ length: 6_000 }, (_, at) => tags[at % TAGS]);
  expect((await timely('POST', address, { data: many })).json.data).toHaveLength(TAGS);
  expect((await timely('PATCH', address, { data: many })).status).toBe(400);
  expect((await timely('DELETE', address, { data: many })).status).toBe(204);
  const flat = await timely(
    'POST',
    '/api/content/articles/moon/field_tags',
    many.map(({ id } = tags[0]!) => id),
  );
  expect(flat.json.data).toHaveLength(TAGS);
  const unknown = Array.from({ length: 6_000 }, (_, at) => ({ type: 'node--tag', id: `u${at}` }));
  const refused = await timely('POST', address, { data: unknown });
  expect({ status: refused.status, short: refused.text.length < 5000 }).toEqual({ status: 400, short: true });
  const put = await timely('PATCH', '/api/content/articles/moon', { field_tags: unknown });
  expect({ status: put.status, short: put.text.length < 100_000 }).toEqual({ status: 404, short: true });
  expect((await timely('DELETE', '/api/content/articles/moon/field_tags', undefined)).status).toBe(204);
  const tooMany = Array.from({ length: 150_000 }, () => ({ type: 'node--tag', id: 't0' }));
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    expect((await timely(method, address, { data: tooMany })).status).toBe(413);
  }
});

/** Repeats a text up to a length of `units`. */
const over = (text: string, units = 150_000) => text.repeat(Math.ceil(units / text.length)).slice(0, units);
const numbered = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');

/** Texts that are slow in Markdown and HTML parsers, with a tag so that they are sanitized. */
const BODIES: readonly (readonly [string, string])[] = [
  ['unclosed processing instructions', `x <b> ${over('<? ')}`],
  ['unclosed declarations', `x <b> ${over('<!X ')}`],
  ['unclosed comments', `x <b> ${over('<!-- a ')}`],
  ['unclosed CDATA', `x <b> ${over('<![CDATA[ ')}`],
  ['processing instructions closed far away', `x ${over('<? ')}\n\n?>`],
  ['marks of emphasis', `<b>\n\n${over('*_')}`],
  ['marks of strikethrough', `<b>\n\n${over('~a~')}`],
  ['emphasis in many paragraphs', `<b>\n\n${over(`${over('*_', 5000)}\n\n`)}`],
  ['underlined headings', `<b>\n\n${over('a\n=\n')}`],
  ['lists in lists', `<b>\n\n${over('- - - x\n')}`],
  ['lists in lists with tags', over('- - - <b>x\n')],
  ['ambiguous list markers', `<b>\n${'-  '.repeat(290)}x`],
  ['lazy quotes', `<b>\n\n${over('> > x\ny\n')}`],
  ['brackets', `<b>\n\n${over('[')}`],
  ['links in links', `<b>\n\n${over('[a](')}`],
  ['references', `<b>\n\n${over('[a][b] ')}`],
  ['notes', `<b>\n\n${over('[^a] ')}\n\n[^a]: x`],
  ['marks of code', `<b>\n\n${numbered(500, (at) => `${'`'.repeat(at + 1)} `)}`],
  ['tags in tags', over('<<b>b ')],
  ['tags with unclosed attributes', over('<a x="\n')],
  ['tags with many attributes', over('<b title="x" onclick="y">x</b> ')],
  ['attributes of one tag', `<b ${over('onclick=x ')}>`],
  ['elements that parsers reopen', `${numbered(2500, (at) => `<b id="${at}">`)}${over('<p>x', 100_000)}`],
  ['tables', `<b>\n\n|a|\n|-|\n${over('|x|\n')}`],
  ['entities', `<b>\n\n${over('&amp;')}`],
  ['addresses', over('[x](javascript:y) ')],
  ['one long word', over('x', 5_000_000)],
  ['one long scheme', `${over('x', 5_000_000)}:y`],
  ['colons', over('a:b ')],
  ['signs without a tag', over('_a', 400_000)],
  ['entities without a tag', over('&amp;', 450_000)],
];

describe('a body of an author without `use raw html`', () => {
  it.each(sample(BODIES))('is checked quickly: %s', async (_, value) => {
    const { status } = await timely(
      'POST',
      '/jsonapi/node/article',
      article({ title: 'Long', body: { value } }),
    );
    expect(status).toBeOneOf([201, 413, 422]);
  });

  it.each([
    [
      'with tags',
      'A paragraph with <kbd>x</kbd>, [a link](https://x.example/y "t"), *emphasis* and `code`, that goes on.\n\n',
      190_000,
    ],
    [
      'without',
      'A paragraph with [a link](https://x.example/y "t"), *emphasis* and `code`, that goes on.\n\n',
      480_000,
    ],
    ['that is a table', '| Row | with <br> in it | *x* |\n', 60_000],
    ['that is a list', '- An entry with <kbd>x</kbd> and *some* words, as people write them.\n', 60_000],
  ])('may be long, %s', async (__, text, units) => {
    const value = over(text, units).replace(/[^\n]*$/, '');
    const head = text.startsWith('|') ? '| a | b | c |\n|---|---|---|\n' : '';
    const sent = article({ title: 'Long', body: { value: head + value } });
    const { status, json } = await timely('POST', '/jsonapi/node/article', sent);
    expect(status).toBe(201);
    expect(json.data.attributes.body.value).toBe(head + value);
  });

  it('is rejected with a pointer if it is too complex', async () => {
    const value = `x <b> ${over('<? ')}`;
    const { status, json } = await timely(
      'POST',
      '/jsonapi/node/article',
      article({ title: 'Long', body: value }),
    );
    expect(status).toBe(422);
    expect(json.errors[0].source).toEqual({ pointer: '/data/attributes/body' });
  });
});

async function streamed(
  at: AttackedSite,
  path: string,
  body: ReadableStream,
  headers: Record<string, string>,
) {
  const type = path.startsWith('/jsonapi') ? 'application/vnd.api+json' : 'application/json';
  const init = { method: 'PATCH', body, duplex: 'half', headers: { 'content-type': type, ...headers } };
  const response = await at.handle(new Request(ORIGIN + path, init), { actor: EDITOR });
  return { status: response?.status };
}
