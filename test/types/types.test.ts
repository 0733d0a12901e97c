import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentDeclaration } from '../../integration/astro/generated-types.ts';
import { createCollector } from '../../integration/core/content/collect.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { createCompiler, FOLDER } from './compiler.ts';

const compiler = createCompiler();

const FILES = {
  'eip/one.md':
    '---\neip: 1\nstatus: Final\ntype: Core\n"reading time": 3\nauthor: person/ada\ntags: [a]\n---\n',
  'eip/two.md': '---\neip: 2\nstatus: Draft\nplace: { name: Here, lat: 1.5 }\nboth: [1, [2]]\n---\n',
  'person/ada.md': '---\nborn: 1815-12-10\n---\n',
  'taxonomy_term--topics/sea.md': '---\nweight: 1\n---\n',
};

/** The code of a site, and the declarations of its content. */
const RIGHT = `
const eips = entities('eip');
export const right = [
  eips.where('eip', '>', 1).where('field_type', '=', 'Core').where('status', '=', 'Final'),
  eips.where('author.born', '>', '1800-01-01').where('place.lat', '<', 2).where('tags', '=', 'a'),
  eips.where('field_reading_time', 'IS NOT NULL').where('both', 'IS NULL').sort('-eip').include('author'),
  entities('taxonomy_term--topics').where('weight', '=', 1),
  entities('drafts').where('anything', '=', 1),
];
const [first] = await eips.include('author').all();
export const eip: number | null | undefined = first?.eip;
export const status: string | null | undefined = first?.status;
export const born: string | null | undefined = first?.author?.born;
export const place: string | null | undefined = first?.place?.name;
export const tags: readonly string[] | undefined = first?.tags;
declare const locals: App.Locals;
export const actor: import('astro-jsonapi').Actor = locals.jsonapi.actor;
export const own = entities('eip', { as: locals.jsonapi.actor });
export const html: string | undefined = first?.body?.processed;
`;
const WRONG = [
  ["entities('eop');", '"eop"\' is not assignable to parameter of type \'"'],
  ["entities('eip').where('epi', '=', 1);", '"epi"'],
  ["entities('eip').where('eip', '=', 'one');", "'string' is not assignable"],
  ["entities('eip').where('author.burn', '=', 'x');", '"author.burn"'],
  ["entities('eip').include('place');", '"place"'],
  ["entities('eip').sort('place');", '"place"'],
] as const;

describe('the types of the build-time API', () => {
  const files = readdirSync(FOLDER).filter((name) => !/^compiler|\.test\.ts$/.test(name));

  it('accept correct code and reject errors in every file of this folder', () => {
    expect(compiler.problemsIn(files)).toEqual([]);
  });
});

const COMPLETIONS = [
  ["articles.where('|')", ['title', 'field_author', 'field_author.title', 'path.alias']],
  ["articles.where('field_author.|', '=', 'x')", ['field_author.title', 'field_author.field_boss']],
  ["articles.where('field_author.field_boss.|')", ['field_author.field_boss.field_email']],
  ["articles.where('title', '|')", ['CONTAINS', 'IS NOT NULL']],
  ["articles.where('field_zone', '=', '|')", ['upper', 'lower']],
  ["articles.where(({ where }) => where('|', '=', 1))", ['field_rating']],
  ["articles.sort('|')", ['title', 'field_author.title']],
  ["articles.sort('title', '-|')", ['-created']],
  ["articles.include('field_author', '|')", ['field_tags', 'field_author.field_boss']],
  ["articles.fields('|')", ['title', 'body']],
  ["entities('|')", ['article', 'taxonomy_term--topics']],
] as const;
const VALID_NAMES = [
  "articles.where('field_author', '|')",
  "articles.include('|')",
  "articles.sort('|')",
] as const;

describe('an editor', () => {
  const complete = compiler.completer(
    "import { entities } from './magazine.ts';\nconst articles = entities('article');\n",
    [...COMPLETIONS.map(([line]) => line), ...VALID_NAMES].map((line) => `${line};`),
  );

  it.each(COMPLETIONS)('completes %s', (line, expected) => {
    expect(complete(line)).toEqual(expect.arrayContaining([...expected]));
  });

  it('completes only valid names', () => {
    const [where, include, sort] = VALID_NAMES;
    expect(complete(where).toSorted()).toEqual(['IS NOT NULL', 'IS NULL']);
    expect(complete(include).toSorted()).toEqual([
      'field_about',
      'field_about.field_boss',
      'field_author',
      'field_author.field_boss',
      'field_editor',
      'field_editor.field_boss',
      'field_series',
      'field_sponsor',
      'field_tags',
      'field_topic',
    ]);
    expect(complete(sort)).not.toContain('field_author');
  });
});

describe('bundles without a schema', () => {
  it('have the types that were inferred from their files', async () => {
    const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
    const { types } = await createCollector({ driver: createMemoryDriver(FILES), options }).load();
    const folders = ['drafts', 'eip', 'person', 'taxonomy_term--topics'];
    const declaration = contentDeclaration({ schema: undefined, folders, types, editing: true });
    const wrong = WRONG.map(([code]) => code).join('\n');
    const source = `import { entities } from 'astro-jsonapi:content';\n${wrong}\n${RIGHT}`;
    const problems = compiler.problemsOf({ 'content.d.ts': declaration, 'page.ts': source });
    expect(problems).toEqual(
      WRONG.map(([, message], index) => expect.stringMatching(`^page.ts:${index + 2} .*${message}`)),
    );
  });

  it('are typed beside bundles with a schema', async () => {
    const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
    const { types } = await createCollector({ driver: createMemoryDriver(FILES), options }).load();
    const schema = path.join(FOLDER, 'virtual-schema.ts');
    const rest = [...types].filter(({ bundle }) => bundle !== 'person');
    const declaration = contentDeclaration({
      schema,
      folders: ['eip', 'person', 'topics'],
      types: rest,
      editing: false,
    });
    const problems = compiler.problemsOf({
      'content.d.ts': declaration,
      'virtual-schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({ person: { born: z.iso.date(), about: reference('eip') } });`,
      'page.ts': `import { entities } from 'astro-jsonapi:content';
export const right = [
  entities('eip').where('author.born', '=', '1815-12-10'),
  entities('person').where('about.author.about.eip', '=', 1),
];
entities('person').where('about.epi', '=', 1);`,
    });
    expect(problems).toEqual([expect.stringMatching(/^page\.ts:6 .*"about\.epi"/)]);
  });

  it('have a short name in editors', () => {
    const schema = path.join(FOLDER, 'virtual-schema.ts');
    const files = {
      'content.d.ts': contentDeclaration({ schema, folders: ['person'], types: [], editing: false }),
      'virtual-schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({ person: { born: z.iso.date(), boss: reference('person').nullish() } });`,
      'page.ts': `import { entities } from 'astro-jsonapi:content';
const people = entities('person').include('boss').fields('born', 'boss');`,
    };
    expect(compiler.hoverOf(files, 'page.ts', 'people')).toBe(
      'const people: QueryBuilder<Schema, "person", "boss", "born" | "boss">',
    );
  });

  it('have the public names of declared fields', () => {
    const schema = path.join(FOLDER, 'virtual-schema.ts');
    const fields = { 'node--person': { about: 'bio', field_type: 'profession', notes: false } } as const;
    const problems = compiler.problemsOf({
      'content.d.ts': contentDeclaration({ schema, folders: ['person'], types: [], editing: false, fields }),
      'virtual-schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({ person: { about: z.string(), type: z.string(), notes: z.string(), boss: reference('person').nullish() } });`,
      'page.ts': `import { entities } from 'astro-jsonapi:content';
const [first] = await entities('person').where('bio', 'CONTAINS', 'x').where('boss.bio', '=', 'y').all();
export const shown: string | undefined = first && first.bio + first.profession + first.notes;
export const wrong = entities('person').where('about', '=', 'x');`,
    });
    expect(problems).toEqual([expect.stringMatching(/^page\.ts:4 .*"about"/)]);
  });

  it('have the languages of the site', () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
    const page = `import { entities } from 'astro-jsonapi:content';
import { jsonapiLoader } from 'astro-jsonapi/loader';
export const right = [entities('tag', { lang: 'de' }), jsonapiLoader('tag', { lang: 'de', fallback: true })];
export const wrong = [
  entities('tag', { lang: 'fr' }),
  jsonapiLoader('tag', { lang: 'fr' }),
];`;
    const problemsIn = (site: typeof languages) => {
      const content = { schema: undefined, folders: ['tag'], types: [], editing: false, languages: site };
      return compiler.problemsOf({ 'content.d.ts': contentDeclaration(content), 'page.ts': page });
    };
    expect(problemsIn(languages)).toEqual([
      expect.stringMatching(/^page\.ts:5 .*"fr"/),
      expect.stringMatching(/^page\.ts:6 .*"fr"/),
    ]);
    expect(problemsIn(undefined)).toEqual([]);
  });

  it('have the same types in scripts, without the actor of a query', () => {
    const page = `import { entities, runtimePath } from 'astro-jsonapi/client';
const people = entities('person').include('boss').sort(runtimePath('born'));
export const right = [people, entities('drafts', { lang: 'de' }).where('anything', '=', 1)];
export const wrong = [
  people.where('burn', '=', 'x'),
  entities('persons'),
  entities('person', { lang: 'fr' }),
  entities('person', { as: 'everyone' }),
];`;
    const problems = compiler.problemsOf({
      'content.d.ts': contentDeclaration({
        schema: path.join(FOLDER, 'virtual-schema.ts'),
        folders: ['drafts', 'person'],
        types: [],
        editing: false,
        languages: siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] }),
      }),
      'virtual-schema.ts': `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({ person: { born: z.iso.date(), boss: reference('person').nullish() } });`,
      'page.ts': page,
    });
    expect(problems).toEqual([
      expect.stringMatching(/^page\.ts:5 .*"burn"/),
      expect.stringMatching(/^page\.ts:6 .*"persons"/),
      expect.stringMatching(/^page\.ts:7 .*"fr"/),
      expect.stringMatching(/^page\.ts:8 .*'as'/),
    ]);
  });

  it('declare Astro.locals.jsonapi with option editing only', () => {
    const content = { schema: undefined, folders: [], types: [] };
    expect(contentDeclaration({ ...content, editing: true })).toContain('interface Locals');
    expect(contentDeclaration({ ...content, editing: false })).not.toContain('Locals');
  });

  it('accept any name if the content is unknown', () => {
    expect(contentDeclaration({ schema: undefined, folders: [], types: [], editing: false })).toContain(
      'Record<never, never>>',
    );
  });
});
