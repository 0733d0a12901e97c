import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { contentDeclaration } from '../../integration/astro/generated-types.ts';
import { createCollector } from '../../integration/content/collect.ts';
import { createMemoryDriver } from '../../integration/storage/drivers/memory.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

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
  ["entities('eop');", '"eop"'],
  ["entities('eip').where('epi', '=', 1);", '"epi"'],
  ["entities('eip').where('eip', '=', 'one');", "'string' is not assignable"],
  ["entities('eip').where('author.burn', '=', 'x');", '"author.burn"'],
  ["entities('eip').include('place');", '"place"'],
  ["entities('eip').sort('place');", '"place"'],
] as const;

describe('bundles without a schema', () => {
  it('have the types that were inferred from their files', { timeout: 120_000 }, async () => {
    const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
    const { types } = await createCollector({ driver: createMemoryDriver(FILES), options }).load();
    const folders = ['drafts', 'eip', 'person', 'taxonomy_term--topics'];
    const declaration = contentDeclaration({ schema: undefined, folders, types, editing: true });
    const wrong = WRONG.map(([code]) => code).join('\n');
    const source = `import { entities } from 'astro-jsonapi:content';\n${wrong}\n${RIGHT}`;
    const problems = compile({ 'content.d.ts': declaration, 'page.ts': source });
    expect(problems).toEqual(
      WRONG.map(([, message], index) => expect.stringMatching(`^page.ts:${index + 2} .*${message}`)),
    );
  });

  it('are typed beside bundles with a schema', {
    timeout: 120_000,
  }, async () => {
    const options = { published: {}, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
    const { types } = await createCollector({ driver: createMemoryDriver(FILES), options }).load();
    const schema = path.join(folder, 'virtual-schema.ts');
    const rest = [...types].filter(({ bundle }) => bundle !== 'person');
    const declaration = contentDeclaration({
      schema,
      folders: ['eip', 'person', 'topics'],
      types: rest,
      editing: false,
    });
    const problems = compile({
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

/** The errors of TypeScript for files in memory. */
function compile(files: Readonly<Record<string, string>>): readonly string[] {
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const textOf = (name: string) => files[path.relative(folder, name)];
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => textOf(name) !== undefined || fileExists(name);
  host.readFile = (name) => textOf(name) ?? readFile(name);
  host.getSourceFile = (name, ...more) => {
    const text = textOf(name);
    return text === undefined
      ? getSourceFile(name, ...more)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023);
  };
  const names = Object.keys(files).map((name) => path.join(folder, name));
  const program = ts.createProgram(names, options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file !== undefined && textOf(file.fileName) !== undefined)
    .map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${path.basename(file?.fileName ?? '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
}

function compilerOptions(): ts.CompilerOptions {
  const root = path.join(folder, '../..');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root);
  return { ...options, skipLibCheck: false };
}
