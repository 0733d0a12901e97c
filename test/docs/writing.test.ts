import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Languages, siteLanguages } from '../../integration/core/content/languages.ts';
import type { SchemaDefinition } from '../../integration/core/content/schema/schema.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { defineSchema, reference, untranslated, z } from '../../integration/schema.ts';
import { createHandler } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { fetchFrom } from '../support/request.ts';
import { createServices } from '../support/services.ts';
import { formatJson } from './format-json.ts';

/** Headers that the examples show. */
const SHOWN = ['allow', 'content-language', 'location'];
const EXAMPLE = /^```http\n([A-Z]+ \/.*?)^```\n\n```http\n(.*?)^```$/gms;

/** Those of the configuration in docs/languages.md. */
const LANGUAGES = siteLanguages({
  defaultLocale: 'en',
  locales: ['en', 'de', 'fr', { path: 'brazil', codes: ['pt-BR', 'pt'] }],
});

/** UPDATE_DOCS=1 writes the responses into the page instead of comparing them. */
it.each<[page: string, least: number, languages: Languages | undefined]>([
  ['writing.md', 9, undefined],
  ['bulk-changes.md', 6, LANGUAGES],
  ['languages.md', 3, LANGUAGES],
])('docs/%s shows the actual responses', async (name, least, languages) => {
  const file = new URL(`../../docs/${name}`, import.meta.url);
  const page = readFileSync(file, 'utf8');
  const evaluate = (block: string): unknown =>
    new Function('defineSchema', 'reference', 'untranslated', 'z', `return ${blockOf(page, block)}`)(
      defineSchema,
      reference,
      untranslated,
      z,
    );
  const files = evaluate('content') as Record<string, string>;
  const schema = evaluate('schema') as SchemaDefinition;
  const handle = createHandler(
    await createServices(createMemoryDriver(files), schema, {
      writable: {},
      ...(languages && { settings: { languages } }),
    }),
  );
  let written = page;
  let examples = 0;
  for (const [example = '', request = ''] of page.matchAll(EXAMPLE)) {
    const answer = await answerTo(request, handle);
    written = written.replace(example, () => `\`\`\`http\n${request}\`\`\`\n\n\`\`\`http\n${answer}\`\`\``);
    examples += 1;
  }
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, written);
  else expect(withoutTags(page)).toBe(withoutTags(written));
  expect(examples).toBeGreaterThanOrEqual(least);
});

function blockOf(page: string, name: string): string {
  const [, code = ''] = new RegExp(`^\`\`\`js ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  return code.trim().replace(/;$/, '');
}

async function answerTo(request: string, handle: Handler): Promise<string> {
  const [head = '', body = ''] = request.split('\n\n');
  const [first = '', ...lines] = head.trimEnd().split('\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name, value.join(': ')];
  });
  const response = await fetchFrom(handle, path, {
    method,
    headers,
    ...(body !== '' && { body }),
    actor: { name: 'jane', roles: ['editor'] },
  });
  const text = await response.text();
  const shown = [...(response.headers ?? [])].filter(([name]) => SHOWN.includes(name));
  const answered = [
    `HTTP/1.1 ${response.status}`,
    ...shown.map(([name, value]) => `${name.replace(/\b./g, (letter) => letter.toUpperCase())}: ${value}`),
    ...(text === '' ? [] : ['', formatJson(JSON.parse(text))]),
  ];
  return `${answered.join('\n')}\n`;
}

/** ETags depend on other members and on storage details. */
function withoutTags(text: string): string {
  return text.replaceAll(/"revision": "[0-9a-f]{16}"/g, '"revision"');
}
