import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../integration/core/access/actor.ts';
import { siteLanguages } from '../../integration/core/content/languages.ts';
import { createRuntime } from '../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../integration/core/runtime/runtime.ts';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { FEATURES } from '../../integration/features.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { parseOptions } from '../support/options.ts';
import { TEST_SETTINGS } from '../support/services.ts';
import { contentFolderOf, hidesFile, presentRepositories, type Repository } from './repositories.ts';

/** Files of a repository that are edited, at even distances; 0 for all. */
const FILES = Number(process.env.ADOPTION_FILES ?? 60);
const ADMIN = { actor: { name: 'root', roles: ['administrator'] } };
/** A line that a write refreshes. Source: docs/edited-files.md. */
const REFRESHED =
  /^["']?(?:lastmod|updated|changed|modified|last_?modified|last_?updated|updated?_?(?:at|date)|date_?modified)\b/i;

interface Entity {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Edit {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly back: Readonly<Record<string, unknown>>;
}

const rows: string[] = [];

describe.each(presentRepositories().map((repository) => [repository.name, repository] as const))(
  '%s',
  (_, repository) => {
    it('loads as it is, and edits change only their lines', async () => {
      const { runtime, texts } = await open(repository);
      const { store, diagnostics } = runtime.services;
      const entities = [...store.types.values()].flatMap((type) => [...store.entities(type.name)]);
      const errors = diagnostics().filter(({ severity }) => severity === 'error');
      const markdown = [...texts.keys()].filter((key) => /\.mdx?$/i.test(key));
      const read = new Set(entities.map(({ key }) => key));
      const missing = markdown.filter((key) => !read.has(key));
      const visible = await visibleKeys(runtime);
      const wrong = markdown.filter(
        (key) =>
          read.has(key) && visible.has(key) === hidesFile(repository, frontmatterOf(texts.get(key)), key),
      );
      const changed = await editFiles(
        runtime,
        entities.map(({ key, id, type, translation }) => ({ key, id, type, translation })),
      );
      rows.push(
        [
          repository.name,
          repository.tool,
          markdown.length,
          entities.length,
          missing.length,
          errors.length,
          wrong.length,
          `${changed.minimal} / ${changed.edits}`,
          `${changed.equal} / ${changed.edits}`,
        ].join(' | '),
      );
      const report = {
        missing: missing.slice(0, 10),
        errors: errors.slice(0, 10).map(({ key, code, message }) => `${key} ${code} ${message}`),
        wrong: wrong.slice(0, 10).map((key) => `${key} is ${visible.has(key) ? 'visible' : 'hidden'}`),
        larger: changed.larger.slice(0, 20),
        notUndone: changed.notUndone.slice(0, 10),
        refused: changed.refused.slice(0, 10),
      };
      console.log(`${repository.name}: ${JSON.stringify(report, null, 1)}`);
      await runtime.close();
      expect([changed.minimal, changed.refused]).toEqual([changed.edits, []]);
    });
  },
);

it('has a table', () => {
  console.log(
    [
      'repository | tool | Markdown files | entities | not read | errors | hidden wrongly | minimal edits | undone',
      ...rows,
    ].join('\n'),
  );
  expect(presentRepositories().length, 'npm run fetch:adoption fills the folder').toBeGreaterThan(0);
});

/** The files of which anonymous visitors see something. */
async function visibleKeys({ services }: Runtime): Promise<ReadonlySet<string>> {
  const { store, engine } = services;
  const access = services.access(ANONYMOUS, 'source');
  const keys = new Set<string>();
  for (const { name } of store.types.values()) {
    const ids = new Set([...store.entities(name)].map(({ id }) => id));
    for (const id of ids) for (const { key } of await engine.translations(name, id, access)) keys.add(key);
  }
  return keys;
}

async function open(repository: Repository) {
  const folder = contentFolderOf(repository);
  const disk = createFsDriver(folder);
  const bytes: Record<string, Uint8Array> = {};
  const texts = new Map<string, string>();
  for (const { key, size } of (await disk.list()).files) {
    if (size > 5e6) continue;
    const content = readFileSync(path.join(folder, key));
    bytes[key] = content;
    if (/\.(?:mdx?|json|ya?ml|toml)$/i.test(key)) texts.set(key, content.toString());
  }
  const { languages = [], options = {} } = repository;
  const [defaultLocale, ...others] = languages;
  const i18n = defaultLocale && { locales: [defaultLocale, ...others], defaultLocale };
  const runtime = await createRuntime(
    { driver: createMemoryDriver(bytes), folder, schema: undefined },
    {
      features: FEATURES,
      options: parseOptions({
        ...options,
        editing: true,
        limits: { writesPerMinute: 1e6 },
        logging: { changes: false },
      }),
      settings: {
        ...TEST_SETTINGS,
        readOnly: false,
        ...(i18n && { languages: siteLanguages(i18n), locale: defaultLocale }),
      },
      renderBody: async () => '<p></p>',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      onChange: () => undefined,
    },
  );
  return { runtime, texts };
}

function frontmatterOf(text = ''): string {
  const [, frontmatter = ''] = /^\uFEFF?\s*(?:---|\+\+\+)\r?\n([\s\S]*?)\r?\n(?:---|\+\+\+)/.exec(text) ?? [];
  return frontmatter;
}

interface Listed {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly translation?: string | undefined;
}

async function editFiles(runtime: Runtime, listed: readonly Listed[]) {
  const files = listed.filter(({ key }) => /\.mdx?$/i.test(key));
  const step = FILES === 0 ? 1 : Math.max(1, files.length / FILES);
  const result = {
    edits: 0,
    minimal: 0,
    equal: 0,
    larger: [] as string[],
    notUndone: [] as string[],
    refused: [] as string[],
  };
  for (let at = 0; at < files.length; at += step) {
    const file = files[Math.floor(at)];
    if (file !== undefined) await editFile(runtime, file, result);
  }
  return result;
}

async function editFile(
  { handle, driver }: Runtime,
  { key, id, type, translation }: Listed,
  result: Awaited<ReturnType<typeof editFiles>>,
): Promise<void> {
  const query = translation === undefined ? '' : `?langCode=${translation}`;
  const address = `http://site.example/jsonapi/${type.replace('--', '/')}/${encodeURIComponent(id)}${query}`;
  const read = async () => new TextDecoder().decode(await driver.read(key));
  const get = async (): Promise<Entity> => {
    const response = await handle(new Request(address), ADMIN);
    if (!response?.ok) throw new Error(`${address}: ${response?.status} ${await response?.text()}`);
    return (await response.json()).data;
  };
  const send = async (attributes: Edit['attributes']) => {
    const response = await handle(
      new Request(address, {
        method: 'PATCH',
        headers: { 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type, id, attributes } }),
      }),
      ADMIN,
    );
    return response?.ok ? undefined : `${response?.status} ${(await response?.text())?.slice(0, 300)}`;
  };
  for (const edit of editsOf(await get(), frontmatterOf(await read()))) {
    const before = await read();
    const problem = await send(edit.attributes);
    if (problem !== undefined) {
      result.refused.push(`${key} ${edit.name}: ${problem}`);
      continue;
    }
    const after = await read();
    result.edits += 1;
    if (isMinimal(edit, before, after)) result.minimal += 1;
    else result.larger.push(`${key} ${edit.name}: ${firstChange(before, after)}`);
    await send(edit.back);
    const undone = await read();
    if (changedLines(before, undone) === 0) result.equal += 1;
    else result.notUndone.push(`${key} ${edit.name}: ${firstChange(before, undone)}`);
  }
}

/** The edits of an entity: of nothing, the title, a tag, a date, a boolean and the body. */
function editsOf({ attributes }: Entity, frontmatter: string): readonly Edit[] {
  const { title, body } = attributes as { title?: string; body?: { value: string; format: string } };
  const edits: Edit[] = [];
  const change = (name: string, field: string, value: unknown, former: unknown = attributes[field]) =>
    edits.push({ name, attributes: { [field]: value }, back: { [field]: former } });
  const isWritten = (field: string) => new RegExp(`^["']?${field}["']?\\s*[:=]`, 'm').test(frontmatter);
  if (typeof title === 'string' && isWritten('title')) {
    change('nothing', 'title', title);
    change('title', 'title', title.replace(/\s*$/, ' again$&'));
  }
  // MDX is code, which needs a permission of its own.
  if (body?.value !== undefined && body.format === 'markdown') {
    const { value, format } = body;
    const at = /[a-z]{4}(?= )/.exec(value);
    if (at !== null) {
      const end = at.index + 4;
      change(
        'body',
        'body',
        { value: `${value.slice(0, end)} word${value.slice(end)}`, format },
        { value, format },
      );
    }
  }
  const own = Object.entries(attributes).filter(
    ([name]) => isWritten(name) && name !== 'title' && name !== 'body',
  );
  const tags = own.find(
    ([, value]) =>
      Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string'),
  );
  if (tags !== undefined) change('tag', tags[0], [...(tags[1] as string[]), 'harbour']);
  const date = own.find(([, value]) => typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:T|$)/.test(value));
  if (date !== undefined) {
    const text = String(date[1]);
    const day = text.slice(8, 10) === '11' ? '12' : '11';
    change('date', date[0], text.slice(0, 8) + day + text.slice(10));
  }
  const flag = own.find(([, value]) => typeof value === 'boolean');
  if (flag !== undefined) change('boolean', flag[0], !flag[1]);
  return edits;
}

/**
 * True if the lines of one value differ: a text may go on in lines with an indent, and a single value becomes a list of several
 * lines with its second item.
 */
function isMinimal({ name }: Edit, before: string, after: string): boolean {
  const [from, to] = differing(before, after);
  const isAtMost = (count: number) => from.length <= count && to.length <= count;
  if (name === 'nothing' || name === 'body') return isAtMost(name === 'body' ? 1 : 0);
  const isOneValue = (lines: readonly string[]) => lines.slice(1).every((line) => /^\s+[^\s-]/.test(line));
  return (
    (isOneValue(from) && isOneValue(to)) ||
    (name === 'tag' && from.length <= 1 && to.slice(1).every((line) => /^\s*- /.test(line)))
  );
}

/** The number of lines that differ, without those that each write refreshes. */
function changedLines(before: string, after: string): number {
  const [from, to] = differing(before, after);
  return Math.max(from.length, to.length);
}

function differing(before: string, after: string): readonly [readonly string[], readonly string[]] {
  const [a, b] = [before, after].map((text) => text.split('\n').filter((line) => !REFRESHED.test(line))) as [
    string[],
    string[],
  ];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

function firstChange(before: string, after: string): string {
  const [from, to] = differing(before, after);
  return JSON.stringify([from.slice(0, 3), to.slice(0, 3)]).slice(0, 300);
}
