import { parse as parseToml } from 'smol-toml';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readArguments } from '../../integration/cli/command.ts';
import { loadCommands } from '../../integration/cli/run.ts';
import { postgres } from '../../integration/postgres.ts';
import { git, github } from '../../integration/storage.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { parseOptions } from '../support/options.ts';
import { fetchFrom } from '../support/request.ts';
import { type CodeBlock, codeBlocks, DOC_PAGES } from './pages.ts';

const { commands, groups } = await loadCommands();

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DOC_PAGES];
const BLOCKS = PAGES.flatMap(codeBlocks);
const blocksIn = (...languages: readonly string[]) =>
  BLOCKS.filter(({ info }) => languages.includes(info.split(' ')[0] ?? ''));

/** Pages whose examples are queries of the demo. Other tests run those of the other pages. */
const DEMO_PAGES = ['docs/query-language.md', 'docs/full-text.md'];

const handle = createHandler(await createDemoServices());

describe('the queries of pages about the demo', () => {
  const examples = DEMO_PAGES.flatMap(codeBlocks).flatMap(queriesIn);

  it('are many', () => expect(examples.length).toBeGreaterThan(25));

  it.each(examples)('$at has a response: $url', async ({ url }) => {
    const response = await fetchFrom(handle, url);
    expect({ status: response.status, body: response.status < 300 ? '' : await response.text() }).toEqual({
      status: 200,
      body: '',
    });
  });
});

it('docs/errors.md shows an actual error', async () => {
  const [request, shown] = codeBlocks('docs/errors.md').filter(
    ({ info }) => info === 'http' || info === 'json',
  );
  const [query] = request === undefined ? [] : queriesIn(request);
  const { errors } = await (await fetchFrom(handle, query?.url ?? '')).json();
  expect(JSON.parse(shown?.code ?? '')).toEqual({ errors });
});

describe('code', () => {
  it.each(blocksIn('js', 'ts').map(({ at, code }) => [at, code]))('at %s can be parsed', (_, code) => {
    const readings = [code, `({${code}})`, `(${code})`].map(syntaxErrors);
    expect(readings.some((errors) => errors.length === 0) ? [] : readings[0]).toEqual([]);
  });

  it.each(blocksIn('astro').map(({ at, code }) => [at, code]))('at %s is a component', (_, code) => {
    const [, script = '', template = ''] = /^(?:---\n([\s\S]*?)^---\n)?([\s\S]*)$/m.exec(code) ?? [];
    expect(syntaxErrors(script)).toEqual([]);
    expect(syntaxErrors(`<>${template.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<!.*?>/g, '')}</>;`)).toEqual(
      [],
    );
  });

  it.each(blocksIn('json', 'yaml', 'toml').map(({ at, info, code }) => [at, info, code] as const))(
    'at %s is valid %s',
    (_, info, code) => {
      const language = info.split(' ')[0];
      if (language === 'json') for (const text of jsonIn(code)) JSON.parse(text);
      else if (language === 'toml') parseToml(code.replaceAll(/^\+\+\+$/gm, ''));
      else parseYaml(code);
    },
  );

  it.each(blocksIn('js', 'ts').flatMap(optionsIn))('at %s has valid options: %s', (_, code) => {
    const options: unknown = new Function('github', 'git', 'postgres', `return ${code}`)(
      github,
      git,
      postgres,
    );
    expect(() => parseOptions(options)).not.toThrow();
  });
});

describe('commands', () => {
  it.each(BLOCKS.flatMap(commandsIn))('$at can be run: $words', ({ words: [first = '', ...rest] }) => {
    const group = groups.find(({ name }) => name === first);
    const [action = ''] = rest;
    const command =
      group === undefined
        ? commands.find(({ name }) => name === first)
        : group.commands.find(({ name }) => name === `${first} ${action}`);
    expect(command?.name).toBeDefined();
    if (command !== undefined) readArguments(command, group === undefined ? rest : rest.slice(1));
  });
});

/** The GET requests in a block: of curl without an account, and in the form of docs/query-language.md. */
function queriesIn({ at, info, code }: CodeBlock): readonly { readonly at: string; readonly url: string }[] {
  if (info === 'http' && code.startsWith('GET '))
    return [{ at, url: code.slice('GET '.length).replaceAll(/\s+/g, '') }];
  if (info !== 'sh') return [];
  return [...code.matchAll(CURL)].map(([, url = '']) => ({ at, url }));
}

const CURL = /^curl (?:-g )?'?(?:http:\/\/)127\.0\.0\.1:4321(\/[^'\s]*)'?$/gm;

function syntaxErrors(code: string): readonly string[] {
  const { diagnostics = [] } = ts.transpileModule(code, {
    fileName: 'example.tsx',
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      jsx: ts.JsxEmit.Preserve,
    },
  });
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** JSON lines, a member of an object, or a document. */
function jsonIn(code: string): readonly string[] {
  if (/^\{.*\}$/m.test(code) && !code.startsWith('{\n')) return code.trim().split('\n');
  return [code.startsWith('"') ? `{${code}}` : code];
}

/** The objects in calls of `jsonapi()` that are options, not queries. */
function optionsIn({ at, code }: CodeBlock): readonly (readonly [at: string, code: string])[] {
  return [...code.matchAll(/\bjsonapi\((\{(?:[^()]|\([^()]*\))*\})\)/g)].map(
    ([, options = '']) => [at, options] as const,
  );
}

function commandsIn({
  at,
  info,
  code,
}: CodeBlock): readonly { readonly at: string; readonly words: readonly string[] }[] {
  if (info !== 'sh' && info !== '') return [];
  return [...code.matchAll(/(?:^|\| |&& )(?:\$ )?npx astro-jsonapi (?!--)(.*)$/gm)].map(([, rest = '']) => {
    const [line = ''] = rest.split(/ #| \||"? >> | && /);
    const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
    return { at, words };
  });
}
