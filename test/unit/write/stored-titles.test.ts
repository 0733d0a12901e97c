import { describe, expect, it } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { draftSchema } from '../../../integration/features/schema/draft-schema.ts';
import { defineSchema, untranslated, z } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';
import { collect } from '../content/collect.ts';

const ADA = "---\nborn: 1815 # in London\nname: 'Ada Lovelace'\n---\n\n# A heading\n";
const MARY = '---\nborn: 1780\nname: Mary Somerville\n---\n';
const PEOPLE = { 'person/ada.md': ADA, 'person/mary.md': MARY };

async function titleOf(
  files: Readonly<Record<string, string>>,
  settings: Parameters<typeof collect>[1] = {},
): Promise<unknown> {
  return (await collect(files, settings)).values(Object.keys(files)[0] ?? '').title;
}

describe('the title of a bundle without titles in its files', () => {
  it.each([
    ['a name in every file', PEOPLE, 'Ada Lovelace'],
    ['a label in every file', { 'term/a.yaml': 'label: Sea', 'term/b.yaml': 'label: Sky' }, 'Sea'],
    ['names that look like dates', { 'term/a.yaml': 'name: May 2024' }, 'May 2024'],
    ['a file without a name', { ...PEOPLE, 'person/x.md': '' }, 'A heading'],
    ['a file with an empty name', { ...PEOPLE, 'person/x.md': '---\nname: ""\n---\n' }, 'A heading'],
    ['a file with a number', { ...PEOPLE, 'person/x.md': '---\nname: 7\n---\n' }, 'A heading'],
    ['a list of names', { 'person/a.md': '---\nname: [Ada]\n---\n' }, 'a'],
    ['a file with a title', { ...PEOPLE, 'person/x.md': '---\nname: X\ntitle: Dr.\n---\n' }, 'A heading'],
    ['a name and a label', { 'term/a.yaml': 'name: sea\nlabel: Sea' }, 'a'],
  ])('%s', async (_, files, expected) => {
    expect(await titleOf(files)).toBe(expected);
  });

  it.each([
    ['a required string', { name: z.string(), born: z.int() }, 'Ada Lovelace'],
    ['an optional string', { name: z.string().optional(), born: z.int() }, 'A heading'],
    ['a declared title', { title: z.string().optional(), name: z.string(), born: z.int() }, 'A heading'],
  ])('with a schema: %s', async (_, person, expected) => {
    expect(await titleOf(PEOPLE, { schema: defineSchema({ person }) })).toBe(expected);
  });

  it('follows the files as they change', async () => {
    const { collector, driver } = await collect(PEOPLE);
    await driver.write('person/x.md', new TextEncoder().encode('---\ntitle: X\n---\n'), { ifRevision: null });
    const { types } = await collector.apply(['person/x.md']);
    expect(types[0]?.entities.map(({ values }) => values.title)).toEqual(['A heading', 'mary', 'X']);
    await driver.remove('person/x.md');
    const later = await collector.apply(['person/x.md']);
    expect(later.types[0]?.entities.map(({ values }) => values.title)).toEqual([
      'Ada Lovelace',
      'Mary Somerville',
    ]);
  });

  it('is declared in the inferred schema so that it stays the title', async () => {
    const driver = createMemoryDriver({ 'person/ada.md': ADA, 'book/ada.md': '' });
    const { source } = await draftSchema(driver, {
      published: {},
      danglingReferences: 'error',
      defaultLangcode: 'en',
    });
    expect(source).toContain('name: z.string(),');
  });

  it('is shared by all languages if its field is', async () => {
    const files = { 'person/ada.md': ADA, 'person/ada.de.md': '# Eine Überschrift\n' };
    const schema = defineSchema({ person: { name: untranslated(z.string()), born: z.int().nullish() } });
    const languages = siteLanguages({ locales: ['en', 'de'], defaultLocale: 'en' });
    const { values, problems } = await collect(files, { schema, languages });
    expect([problems, values('person/ada.de.md').title]).toEqual([[], 'Ada Lovelace']);
  });
});

describe('option `bundles.person.title`', () => {
  it('names the field of the title, also beside a title', async () => {
    const files = { 'person/ada.md': '---\ntitle: Countess\nfull: Ada Lovelace\n---\n', 'person/x.md': '' };
    const { values, problems } = await collect(files, { titles: { person: 'full' } });
    expect([values('person/ada.md').title, values('person/x.md').title]).toEqual(['Ada Lovelace', 'x']);
    expect(problems).toEqual([
      'content/person/ada.md:2:8 warning: `title` is ignored in 1 file, because option bundles.person.title is `full`. (Rename the key.)',
    ]);
  });

  it('keeps the title', async () => {
    expect(await titleOf(PEOPLE, { titles: { person: 'title' } })).toBe('A heading');
  });

  it('is reported if the bundle has no such field', async () => {
    const { problems } = await collect(PEOPLE, { titles: { person: 'nam' } });
    expect(problems).toEqual([
      'content/person/ warning: Option bundles.person.title is `nam`, but the bundle has no such field of single strings. (Did you mean `name`?)',
    ]);
  });
});

async function site(options: { readonly roles?: Roles; readonly schema?: object } = {}) {
  const driver = createMemoryDriver(PEOPLE);
  const { roles, schema } = options;
  const services = await createServices(driver, schema as never, { writable: {}, ...(roles && { roles }) });
  const handle = createHandler(services);
  return {
    services,
    handle,
    send: (method: string, path: string, body?: object) =>
      ask(handle, method, `/api/content/${path}`, body === undefined ? {} : { body }),
    text: async (key = 'person/ada.md') => new TextDecoder().decode(await driver.read(key)),
  };
}

const NAMED = ADA.replace("'Ada Lovelace'", "'Ada King'");

describe('a title that another field stores', () => {
  it('answers queries, sorts and search like that field', async () => {
    const { send } = await site();
    const { json } = await send('GET', 'people?filter[title]=ada lovelace&sort=title&fields=title,name');
    expect(json.data).toMatchObject([{ id: 'ada', title: 'Ada Lovelace', name: 'Ada Lovelace' }]);
    expect((await send('GET', 'people?filter[fulltext]=somerville')).json.data).toHaveLength(1);
  });

  it.each([
    ['title', { title: 'Ada King' }],
    ['field', { name: 'Ada King' }],
    ['title, with the former field', { title: 'Ada King', name: 'Ada Lovelace' }],
    ['field, with the former title', { title: 'Ada Lovelace', name: 'Ada King' }],
    ['same text in both', { title: 'Ada King', name: 'Ada King' }],
  ])('is changed in place by the %s', async (_, body) => {
    const { send, text } = await site();
    const { status, json } = await send('PATCH', 'people/ada', body);
    expect([status, json.data.title, json.data.name]).toEqual([201, 'Ada King', 'Ada King']);
    expect(await text()).toBe(NAMED);
  });

  it.each([
    ['two texts', { title: 'A', name: 'B' }, ['title', '`title` is the value of `name`.']],
    ['an empty title', { title: '' }, ['title', '`title` is required.']],
    ['an empty field', { name: null }, ['name', '`name` is required.']],
  ])('is not changed by %s', async (_, body, [field, detail]) => {
    const { send, text } = await site();
    const { status, json } = await send('PATCH', 'people/ada', body);
    expect([status, json.error.source.pointer]).toEqual([422, `/${field}`]);
    expect(json.error.detail).toContain(detail);
    expect(await text()).toBe(ADA);
  });

  it('is stored in a new file, whose name it gives', async () => {
    const { send, text } = await site();
    const { status, json } = await send('POST', 'people', { title: 'Jane Marcet' });
    expect([status, json.data.id, json.data.name]).toEqual([201, 'jane-marcet', 'Jane Marcet']);
    expect(await text('person/jane-marcet.md')).toBe('---\nname: Jane Marcet\nuid: ed\n---\n');
    expect((await send('POST', 'people', { name: 'Emmy Noether' })).json.data.title).toBe('Emmy Noether');
    expect((await send('POST', 'people', {})).json.error.detail).toBe('`title` is required.');
  });

  it('stays in a file that is replaced as a whole', async () => {
    const { send, text } = await site();
    expect((await send('PUT', 'people/ada', { title: 'Ada King', born: 1815 })).status).toBe(201);
    expect(await text()).toBe("---\nborn: 1815 # in London\nname: 'Ada King'\n---\n");
  });

  it('has the rules of that field, with errors that point to the key in the request', async () => {
    const schema = defineSchema({ person: { name: z.string().max(20), born: z.int().nullish() } });
    const { send } = await site({ schema });
    const long = 'A name of far too many letters';
    const byTitle = await send('PATCH', 'people/ada', { title: long });
    const byName = await send('PATCH', 'people/ada', { name: long });
    expect([byTitle, byName].map(({ json }) => json.error.source.pointer)).toEqual(['/title', '/name']);
  });

  it('is required once in the description of a new entity', async () => {
    const schema = defineSchema({ person: { name: z.string(), born: z.int() } });
    const { handle } = await site({ schema });
    const { json } = await ask(handle, 'GET', '/jsonapi/openapi.json', {});
    expect(json.components.schemas['node--person.plain-new'].required).toEqual(['title', 'born']);
  });

  it('is hidden and read-only for actors without access to the field', async () => {
    const view = { except: ['name', 'uid'] };
    const roles: Roles = {
      anonymous: { permissions: [{ actions: ['view'], bundles: '*', where: 'published', fields: { view } }] },
    };
    const { send, services } = await site({ roles });
    const type = services.store.types.get('node--person')!;
    const access = services.access({ name: null, roles: ['anonymous'] } as never);
    expect([access.fieldVisible(type, 'title'), access.fieldVisible(type, 'name')]).toEqual([false, false]);
    expect((await send('GET', 'people/ada')).status).toBe(200);
  });
});
