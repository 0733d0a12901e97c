import { describe, expect, it } from 'vitest';
import { createGitDriver } from '../../../integration/features/git/driver.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createRepository } from '../../support/repository.ts';
import { createServices } from '../../support/services.ts';

/** A bundle `page` without a schema; other files are neighbors that show how its files are written. */
async function site(files: Readonly<Record<string, string>>) {
  const stored = Object.entries(files).map(([name, text]) => [`page/${name}.md`, text]);
  const driver = createMemoryDriver(Object.fromEntries(stored));
  const handle = createHandler(await createServices(driver, undefined, { writable: {} }));
  const send = (method: string, id: string, body?: object) =>
    ask(handle, method, `/api/content/pages/${id}`, body === undefined ? {} : { body });
  return {
    send,
    text: async (id: string) => new TextDecoder().decode(await driver.read(`page/${id}.md`)),
    /** Changes an entity, and returns its file. */
    async patch(id: string, body: object) {
      const { status, json } = await send('PATCH', id, body);
      if (status >= 300) throw new Error(JSON.stringify(json));
      return new TextDecoder().decode(await driver.read(`page/${id}.md`));
    },
  };
}

const page = (...lines: readonly string[]) => ['---', ...lines, '---', '', 'Text', ''].join('\n');

describe('an empty string inside an object', () => {
  const A = page('title: A', 'list:', '  - name: x', '    subject: ""', '    n: 1', 'obj: { a: "", b: x }');

  it('stays if the object or the list is sent back as it was read', async () => {
    const { send, patch } = await site({ a: A });
    const { list, obj } = (await send('GET', 'a')).json.data;
    expect(await patch('a', { list, obj })).toBe(A);
  });

  it('stays if another value of the object or the list changes', async () => {
    const { patch } = await site({ a: A });
    expect(await patch('a', { obj: { a: '', b: 'z' } })).toBe(A.replace('b: x', 'b: z'));
    const changed = A.replace('b: x', 'b: z');
    const list = (n: number) => [{ name: 'x', subject: '', n }];
    expect(await patch('a', { list: list(2) })).toBe(changed.replace('n: 1', 'n: 2'));
    expect(await patch('a', { list: [...list(1), { name: 'w' }] })).toBe(
      changed.replace('n: 1', 'n: 1\n  - name: w'),
    );
  });

  it('stays in a list of strings, and in a field of dates', async () => {
    const before = page('title: A', 'words: ["", one]', 'run:', '  start: ""', '  end: 2024-01-02');
    const { send, patch } = await site({ a: before, b: page('title: B', 'run: { start: 2024-01-01 }') });
    const { run } = (await send('GET', 'a')).json.data;
    expect(run).toMatchObject({ start: null });
    expect(await patch('a', { words: ['', 'one', 'two'], run: { ...run, end: '2024-01-03' } })).toBe(
      before.replace('one', 'one, two').replace('-02', '-03'),
    );
  });

  it('is not added if the file does not have it', async () => {
    const { patch } = await site({ a: A });
    expect(await patch('a', { obj: { a: '', b: '' } })).toBe(A.replace(', b: x', ''));
  });
});

describe('a key that appears twice', () => {
  const A = page('title: First # old', 'n: 1', 'title: Second', 'obj:', '  a: 1', '  a: 2');

  it('changes at its last occurrence, which has the value', async () => {
    const { patch } = await site({ a: A });
    expect(await patch('a', { title: 'Third' })).toBe(A.replace('Second', 'Third'));
    expect(await patch('a', { obj: { a: 3 } })).toBe(A.replace('Second', 'Third').replace('a: 2', 'a: 3'));
  });

  it('stays if another key changes, or is removed as a whole', async () => {
    const { patch } = await site({ a: A });
    expect(await patch('a', { n: 2 })).toBe(A.replace('n: 1', 'n: 2'));
    expect(await patch('a', { obj: null })).not.toContain('a:');
  });
});

it.each([
  ['`- ?`', ['  - ?', '  - "one"']],
  ['an empty item', ['  -', '  - "one"']],
  ['a map without values', ['  - "one"', '  - name:']],
])('%s in a list stays in its place beside a new item', async (_, list) => {
  const { patch } = await site({
    a: page('title: A', 'words:', ...list),
    b: page('title: B', 'words: [two]'),
  });
  expect(await patch('a', { words: ['one', 'new'] })).toBe(page('title: A', 'words:', ...list, '  - new'));
});

it('a value that is `%` stays as written beside a new value', async () => {
  const before = page('title: A', 'aliases:', '  - %', '  - each');
  const { patch } = await site({ a: before });
  expect(await patch('a', { aliases: ['%', 'each', '%%'] })).toBe(
    before.replace('- each', '- each\n  - "%%"'),
  );
});

describe('a date of the United States', () => {
  const dated = (title: string, date: string) => page(`title: ${title}`, `date: ${date}`);
  const FILES = { a: dated('A', '06/25/2024'), b: dated('B', '06/01/2021'), c: dated('C', '12/31/2019') };

  it.each([
    ['b', '2021-06-02', '06/02/2021'],
    ['b', '2021-06-22', '06/22/2021'],
    ['a', '2024-06-02', '06/02/2024'],
    ['a', '2024-12-24', '12/24/2024'],
  ])('of %s keeps its form without quotes as %s', async (id, date, written) => {
    const { patch, send } = await site(FILES);
    expect(await patch(id, { date })).toBe(dated(id.toUpperCase(), written));
    expect((await send('GET', 'b')).json.data.date).toBe(id === 'b' ? date : '2021-06-01');
  });

  it('has no other form than the quoted ones of its file', async () => {
    const { patch } = await site({ ...FILES, b: dated('B', '"06/01/2021"') });
    expect(await patch('b', { date: '2021-06-22' })).toBe(dated('B', '"06/22/2021"'));
  });

  it('of a new file has the form of the others', async () => {
    const { send, text } = await site(FILES);
    for (const day of ['02', '22'] as const) {
      expect((await send('POST', '', { id: `d${day}`, title: 'D', date: `2024-06-${day}` })).status).toBe(
        201,
      );
      expect(await text(`d${day}`)).toContain(`\ndate: 06/${day}/2024\n`);
    }
  });

  it('becomes an unambiguous day if it is the only one that shows the order', async () => {
    const { patch } = await site({ a: FILES.a, b: dated('B', '07/07/2021') });
    expect(await patch('a', { date: '2024-06-02' })).toBe(dated('A', '2024-06-02'));
  });
});

describe('a new item of a list', () => {
  it.each([
    ['tags: ["a", "b"]', 'tags: ["a", "b", "c"]'],
    ["tags: ['a', 'b']", "tags: ['a', 'b', 'c']"],
    ['tags:\n  - "a"\n  - "b"', 'tags:\n  - "a"\n  - "b"\n  - "c"'],
    ['tags: ["a", b]', 'tags: ["a", b, c]'],
    ['tags: [a, b]', 'tags: [a, b, c]'],
  ])('has the quotes of the others: %s', async (before, after) => {
    const { patch } = await site({ a: page(before) });
    expect(await patch('a', { tags: ['a', 'b', 'c'] })).toBe(page(after));
  });

  it('has the quotes that items have elsewhere if the list is new', async () => {
    const { patch } = await site({ a: page('title: A', "tags: ['a']"), b: page('title: B', "tags: ['b']") });
    const before = await patch('a', { title: 'B' });
    expect(await patch('a', { tags: [] })).toBe(page('title: B'));
    expect(await patch('a', { tags: ['a'] })).toBe(before);
  });
});

describe('an entity that is unpublished and published again', () => {
  const neighbors = { n1: page('title: N1'), n2: page('title: N2'), n3: page('title: N3', 'publish: true') };
  const later = { n1: neighbors.n1, n2: neighbors.n2 };

  it.each([
    ['without a flag', page('title: A'), later],
    ['without a flag, in a bundle of its own', page('title: A'), {}],
    ["with its author's flag", page('title: A', 'publish: true'), neighbors],
    ['with a flag that no other has', page('title: A', 'draft: false # done'), later],
    ['without a flag, beside a neighbor with one', page('title: A'), neighbors],
  ])('%s has the same file', async (_, before, others) => {
    const { patch } = await site({ ...others, a: before });
    expect(await patch('a', { status: false })).not.toBe(before);
    expect(await patch('a', { status: true })).toBe(before);
  });

  it('gets no `status` if other published files have none, even if the author hid it', async () => {
    const { patch } = await site({ ...later, a: page('title: A', 'status: false') });
    expect(await patch('a', { status: true })).toBe(page('title: A'));
  });
});

describe('a field that no file has any more', () => {
  const A = page('title: A', 'subtitle: Old', 'when: 06/25/2024');

  it('can be written again, also after other changes', async () => {
    const { patch, send } = await site({ a: A, b: page('title: B') });
    await patch('a', { subtitle: null, when: null });
    expect((await send('GET', 'a')).json.data).not.toHaveProperty('subtitle');
    await patch('b', { title: 'C' });
    await patch('a', { when: '2024-06-25' });
    expect(await patch('a', { subtitle: 'Old' })).toContain('subtitle: Old\n');
    expect((await send('GET', 'a')).json.data).toMatchObject({ subtitle: 'Old', when: '2024-06-25' });
  });

  it('can be written again after a restart, if a past version of the file has it', async () => {
    const repository = createRepository();
    const commitPage = (text: string) => repository.commit({ 'page/a.md': text });
    commitPage(page('title: A', 'subtitle: Old', 'tags: [a]'));
    commitPage(page('title: B'));
    for (const prefix of ['/jsonapi/node/page/a', '/api/content/pages/a']) {
      const driver = createGitDriver(repository.content);
      const handle = createHandler(await createServices(driver, undefined, { writable: {} }));
      const body = (fields: object) =>
        prefix.startsWith('/api') ? fields : { data: { type: 'node--page', id: 'a', attributes: fields } };
      const patch = (fields: object) => ask(handle, 'PATCH', prefix, { body: body(fields) });
      expect((await patch({ subtitel: 'x' })).status).toBe(422);
      expect((await patch({ subtitle: 'Old', tags: ['a'] })).status).toBeLessThan(300);
      expect(new TextDecoder().decode(await driver.read('page/a.md'))).toBe(
        page('title: B', 'subtitle: Old', 'tags:', '  - a'),
      );
      commitPage(page('title: B'));
    }
  });

  it('is still unknown to queries, and other names are unknown', async () => {
    const { patch, send } = await site({ a: A });
    await patch('a', { subtitle: null });
    expect((await send('GET', '?filter[subtitle]=Old')).status).toBe(400);
    expect((await send('PATCH', 'a', { subtitel: 'x' })).status).toBe(422);
  });
});

describe('a boolean among other scalars', () => {
  const NEIGHBORS = { n1: page('show: 1'), n2: page('show: false'), n3: page('show: sometimes') };

  it.each<[string, unknown, string]>([
    ['show: true', false, 'show: false'],
    ['show: true', 'false', 'show: false'],
    ['show: 1', true, 'show: true'],
    ['show: 1', 2, 'show: 2'],
    ['show: true', 'never', 'show: never'],
    ['show: "true"', 'false', 'show: "false"'],
  ])('%s keeps its type as %j', async (before, show, after) => {
    const { patch } = await site({ ...NEIGHBORS, a: page('title: A', before) });
    expect(await patch('a', { show })).toBe(page('title: A', after));
  });

  it('has no quotes in a file that gets the field', async () => {
    const { patch } = await site({ ...NEIGHBORS, a: page('title: A') });
    expect(await patch('a', { show: false })).toContain('show: false\n');
  });
});

describe('a text in quotes over two lines', () => {
  it.each(['"', "'"])('stays on lines of that length in %s', async (quote) => {
    const folded = (...lines: readonly string[]) => page(`title: ${quote}${lines.join('\n  ')}${quote}`);
    const { patch } = await site({ a: folded('The rain comes late this', 'year, and it stays') });
    expect(await patch('a', { title: 'The rain comes late this year, and it goes soon after' })).toBe(
      folded('The rain comes late this', 'year, and it goes soon', 'after'),
    );
    expect(await patch('a', { title: 'The  rain' })).toBe(folded('The  rain'));
  });
});

describe('clearing a field', () => {
  it('keeps the comments above it', async () => {
    const { patch } = await site({
      a: page('title: A', '# Two or', '# three words', 'tags: [a] # sorted', 'n: 1'),
    });
    expect(await patch('a', { tags: [] })).toBe(page('title: A', '# Two or', '# three words', 'n: 1'));
  });
});
