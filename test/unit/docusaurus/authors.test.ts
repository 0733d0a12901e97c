import { describe, expect, it } from 'vitest';
import { withEntry } from '../../../integration/features/docusaurus/author-entries.ts';
import { withAuthors } from '../../../integration/features/docusaurus/authors-driver.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';
import { createTestCollector } from '../content/collect.ts';

const AUTHORS = `# Who writes here.
ada:
  name: Ada # the first
  url: https://example.com
  socials:
    github: ada

'bob':
  name: "Bob"
  title: Editor
`;

const BLOG = {
  'blog/authors.yml': AUTHORS,
  'blog/tags.yml': 'release:\n  label: Release\n',
  'blog/one.md': '---\ntitle: One\nauthors: ada\n---\n',
  'blog/two.md': '---\ntitle: Two\nauthors: [bob, ada]\n---\n',
  'blog/three.md': '---\ntitle: Three\nauthors:\n  - bob\n---\n',
};

async function openBlog(files: Readonly<Record<string, string>> = BLOG) {
  const driver = createMemoryDriver(files);
  const services = await createServices(driver, undefined, { writable: {} });
  const handle = createHandler(services);
  const send = (method: string, path: string, data?: unknown, ifMatch?: string) =>
    ask(handle, method, `/jsonapi/node/${path}`, {
      ...(data !== undefined && { body: { data } }),
      headers: { 'content-type': 'application/vnd.api+json', ...(ifMatch && { 'if-match': ifMatch }) },
    });
  const text = async (key: string) => new TextDecoder().decode(await driver.read(key));
  return { driver, services, send, text };
}

async function load(files: Readonly<Record<string, string>>) {
  const driver = createMemoryDriver(files);
  const collector = createTestCollector(withAuthors(driver));
  const { entities, types } = await collector.load();
  return {
    ids: entities.map(({ type, id }) => `${type}/${id}`).sort(),
    problems: collector.diagnostics().filter(({ severity }) => severity !== 'info'),
    field: types.find(({ name }) => name === 'node--blog')?.fields.get('authors'),
    driver,
    collector,
  };
}

describe('authors.yml of a Docusaurus blog', () => {
  it('has an entity for each author, and the field `authors` of the blog refers to them, as a string or a list', async () => {
    const { ids, problems, field } = await load(BLOG);
    expect(problems).toEqual([]);
    expect(ids).toEqual([
      'node--authors/ada',
      'node--authors/bob',
      'node--blog/one',
      'node--blog/three',
      'node--blog/two',
    ]);
    expect(field).toMatchObject({ kind: 'reference', list: true, targets: ['node--authors'] });
    const { send } = await openBlog();
    const { json } = await send(
      'GET',
      'blog?filter[authors.title]=Ada&sort=title&include=authors&filter[authors.socials.github]=ada',
    );
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(['one', 'two']);
    expect(json.included.map(({ id }: { id: string }) => id).sort()).toEqual(['ada', 'bob']);
  });

  it('reports an author that does not exist, as Docusaurus does', async () => {
    const { problems } = await load({ ...BLOG, 'blog/one.md': '---\ntitle: One\nauthors: adda\n---\n' });
    expect(problems).toMatchObject([
      { key: 'blog/one.md', code: 'reference/dangling', line: 3, hint: 'Did you mean `authors/ada`?' },
    ]);
  });

  it.each([
    ['authors: { name: Guest, url: https://example.com }'],
    ['authors:\n  - ada\n  - name: Guest\n    image_url: https://example.com/guest.png'],
    ['authors:\n  - name: Guest'],
  ])('is not the target of references if a post describes its author itself: %j', async (authors) => {
    const { problems, field, ids } = await load({
      ...BLOG,
      'blog/four.md': `---\ntitle: Four\n${authors}\n---\n`,
    });
    expect(problems).toEqual([]);
    expect(field?.kind).not.toBe('reference');
    expect(ids).toContain('node--blog/four');
  });

  it.each([
    ['news/authors.yml', AUTHORS, []],
    ['authors/ada.md', '---\ntitle: Ada\n---\n', ['node--authors/ada']],
  ])('has no entities beside %s, because they would be of the same bundle', async (key, text, expected) => {
    const { ids, problems } = await load({
      'blog/one.md': BLOG['blog/one.md'],
      'x/authors.yml': AUTHORS,
      [key]: text,
    });
    const ofNews = ['node--authors/ada', 'node--authors/bob'];
    expect(ids).toEqual([...(expected.length > 0 ? expected : ofNews), 'node--blog/one']);
    expect(problems).toMatchObject([
      {
        key: 'x/authors.yml',
        code: 'file/skipped',
        severity: 'warning',
        message: 'Its authors are not entities, because a bundle `authors` exists.',
      },
    ]);
  });

  it('belongs to the blog in the same folder only', async () => {
    const { problems } = await load({ ...BLOG, 'talk/a.md': '---\nauthors: Somebody Else\n---\n' });
    expect(problems).toEqual([]);
  });

  it.each([
    ['authors.yml', 'ada: { name: Ada }\n', ['its authors']],
    ['authors.yml', 'x: &x\n  name: Ada\ny: *x\n', []],
    ['tags.yml', 'release:\n  label: Release\n', []],
  ])('and tags.yml are never posts: %s with %j', async (name, text) => {
    const { ids } = await load({ [`blog/${name}`]: text, 'blog/one.md': '---\ntitle: One\n---\n' });
    expect(ids).toEqual(['node--blog/one']);
  });

  it('of another form is an ordinary data file', async () => {
    const { ids } = await load({ 'data/authors.yml': 'title: Authors\ncount: 3\n' });
    expect(ids).toEqual(['node--data/authors']);
  });

  it('changes one line when an author changes', async () => {
    const { send, text } = await openBlog();
    const { status } = await send('PATCH', 'authors/ada', {
      type: 'node--authors',
      id: 'ada',
      attributes: { url: 'https://ada.example' },
    });
    expect(status).toBe(200);
    expect(await text('blog/authors.yml')).toBe(
      AUTHORS.replace('https://example.com', 'https://ada.example'),
    );
  });

  it('gets and loses the lines of an author', async () => {
    const { send, text, driver } = await openBlog();
    const created = await send('POST', 'authors', {
      type: 'node--authors',
      id: 'cleo',
      attributes: { title: 'Writer', name: 'Cleo', url: 'https://cleo.example' },
    });
    expect(created.status).toBe(201);
    const added = await text('blog/authors.yml');
    expect(added.startsWith(`${AUTHORS}\ncleo:\n  `)).toBe(true);
    expect(added).toContain('  url: https://cleo.example\n');
    expect((await send('DELETE', 'authors/cleo')).status).toBe(204);
    expect(await text('blog/authors.yml')).toContain(AUTHORS);
    expect((await driver.list()).files.map(({ key }) => key)).toContain('blog/authors.yml');
  });

  it('keeps the form of `authors` in a post', async () => {
    const { send, text } = await openBlog();
    const bob = [{ type: 'node--authors', id: 'bob' }];
    const set = (id: string) =>
      send('PATCH', `blog/${id}`, { type: 'node--blog', id, relationships: { authors: { data: bob } } });
    expect((await set('one')).status).toBe(200);
    expect((await set('two')).status).toBe(200);
    expect(await text('blog/one.md')).toBe('---\ntitle: One\nauthors: bob\n---\n');
    expect(await text('blog/two.md')).toBe('---\ntitle: Two\nauthors: [bob]\n---\n');
  });

  it('refuses an author whom another writer has changed', async () => {
    const { driver, send } = await openBlog();
    const { headers } = await send('GET', 'authors/ada');
    await driver.write(
      'blog/authors.yml',
      new TextEncoder().encode(AUTHORS.replace('# the first', '# first')),
    );
    const data = { type: 'node--authors', id: 'ada', attributes: { url: 'https://ada.example' } };
    expect((await send('PATCH', 'authors/ada', data, headers.get('etag') ?? '')).status).toBe(412);
  });

  it('updates its authors when it changes', async () => {
    const { collector, driver } = await load(BLOG);
    const text = AUTHORS.replace('name: Ada', 'name: Ada L.').replace("'bob'", 'cleo');
    await driver.write('blog/authors.yml', new TextEncoder().encode(text));
    const change = await collector.apply(['blog/authors.yml']);
    expect(change.removed).toEqual([{ type: 'node--authors', id: 'bob' }]);
    const keys = ['blog/authors.yml/ada.yml', 'blog/authors.yml/cleo.yml'];
    expect(change.put.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
    await driver.remove('blog/authors.yml');
    expect((await collector.apply(['blog/authors.yml'])).removedTypes).toEqual(['node--authors']);
  });
});

describe('the text of authors.yml', () => {
  it.each([
    ['a:\r\n  name: A\r\n', 'a', 'name: B\n', 'a:\r\n  name: B\n'],
    [
      'a:\n    name: A\n\n\nb:\n    name: B',
      'c',
      'name: C',
      'a:\n    name: A\n\n\nb:\n    name: B\n\nc:\n    name: C\n',
    ],
    ['a:\n  name: A\n\n\nb:\n  name: B', 'a', null, 'b:\n  name: B'],
    ['# All.\na:\n  name: A\n# Last.\n', 'a', null, '# All.\n# Last.\n'],
    ['a:\n  name: A\n', '1', 'name: B\n', 'a:\n  name: A\n"1":\n  name: B\n'],
  ])('%j with %s as %j', (text, name, next, expected) => {
    expect(withEntry(text, name, next)).toBe(expected);
  });
});
