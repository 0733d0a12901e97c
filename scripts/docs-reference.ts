import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCommands } from '../integration/cli/run.ts';
import { PROBLEM_KINDS } from '../integration/core/content/diagnostics/problem-kinds.ts';
import { type Command, type Flags, SITE_FLAGS } from '../integration/core/runtime/command.ts';
import { RESPONSES } from '../integration/core/server/errors.ts';
import { parseOptions } from '../test/support/options.ts';
import { PROBLEMS, REASONS } from './error-texts.ts';

const { commands: COMMANDS, groups: GROUPS } = await loadCommands();

const ROOT = path.resolve(import.meta.dirname, '..');
const PART = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The parts of the pages that come from the code, by the name in their first comment. */
const PARTS: Readonly<Record<string, () => string>> = {
  options: () => table(['Option', 'Default', 'Description'], allOptionRows()),
  commands: () => table(['Command', 'Description'], commandRows()),
  flags: () => [...COMMANDS, ...GROUPS.flatMap(({ commands }) => commands)].map(flagSection).join('\n'),
  'site-flags': () => table(['Flag', 'Description'], flagRows(SITE_FLAGS)),
  statuses: () =>
    table(
      ['Status', 'Reason', 'Meaning', 'What to do'],
      entries(RESPONSES).map(([reason, [status]]) => [String(status), reason, ...REASONS[reason]]),
    ),
  problems: () =>
    table(
      ['Kind', 'Problem', 'What to do'],
      PROBLEM_KINDS.map((kind) => [`\`${kind}\``, ...PROBLEMS[kind]]),
    ),
};

export const REFERENCE_PAGES = ['docs/options.md', 'docs/cli.md', 'docs/errors.md'] as const;

/** A page with the generated parts as the code says now. */
export function withReference(text: string): string {
  return text.replace(PART, (_, start: string, name: string, end: string) => {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`The generated part "${name}" does not exist.`);
    return `${start}\n${part()}\n${end}`;
  });
}

/** The interfaces of the options: those of the core, and what features add to them. */
export function optionTypes(): string {
  const files = globSync('integration/{core,features/*}/**/{options,bundle-options}.ts', {
    cwd: ROOT,
  }).sort();
  const source = files.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n');
  const types = [...source.matchAll(/^( *)(?:export )?interface \w+Options [\s\S]*?^\1\}$/gm)];
  return types.map(([text, indent = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')).join('\n');
}

/** Options in the order of the sections. */
function allOptionRows(): readonly (readonly string[])[] {
  const page = readFileSync(path.join(ROOT, 'docs/options.md'), 'utf8');
  const place = ([link = '']: readonly string[]) => {
    const [, option = ''] = /`(.*?)`/.exec(link) ?? [];
    return page.indexOf(`\n### \`${sectionOf(option)}\`\n`);
  };
  const rows = ['CoreOptions', 'JsonapiOptions'].flatMap((type) => optionRows(type, ''));
  return rows.toSorted((a, b) => place(a) - place(b));
}

/** Options in the order of their types, with the comments of these. */
function optionRows(type: string, parent: string): readonly (readonly string[])[] {
  const types = optionTypes().matchAll(
    new RegExp(`^(?:export )?interface ${type} .*\\{\\n([\\s\\S]*?)^\\}`, 'gm'),
  );
  const members = [...types].map(([, text = '']) => text).join('\n');
  return [...members.matchAll(MEMBER)].flatMap(([, comment = '', name = '', written = '']) => {
    const option = parent + name;
    const text = comment.replaceAll(/\s*\n\s*\* ?/g, ' ').replaceAll(/^\s*\*?\s*|\s+$/g, '');
    const [, description = text, stated] = /^(.*?)\s*Default: (.*)\.$/.exec(text) ?? [];
    const inner = /\b(?!JsonapiOptions)\w+Options\b/.exec(written)?.[0];
    const member = written.includes('Record<') ? `.<${singular(name)}>` : written.endsWith('[]') ? '[]' : '';
    return [
      [`[\`${option}\`](#${anchorOf(sectionOf(option))})`, stated ?? defaultOf(option), description],
      ...(inner === undefined ? [] : optionRows(inner, `${option}${member}.`)),
    ];
  });
}

/** The option whose section describes an option: itself, or the one that contains it. */
function sectionOf(option: string): string {
  const page = readFileSync(path.join(ROOT, 'docs/options.md'), 'utf8');
  if (page.includes(`\n### \`${option}\`\n`) || !/[.[]/.test(option)) return option;
  return sectionOf(option.replace(/(?:\.[^.[]+|\[\])$/, ''));
}

function singular(name: string): string {
  return name === 'indexes' ? 'index' : name.slice(0, -1);
}

const MEMBER = /^ {2}\/\*\*([\s\S]*?)\*\/\n {2}readonly (\w+)\??: ([\s\S]*?);$/gm;

/** The default as the schema sets it, in code; empty for options without a fixed one. */
function defaultOf(option: string): string {
  const value: unknown = option
    .split('.')
    .reduce<unknown>(
      (object, name) => (object as Record<string, unknown> | undefined)?.[name],
      parseOptions({}),
    );
  if (value === undefined || option === 'limits') return '';
  return `\`${JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, ' $1: ')
    .replaceAll('}', ' }')
    .replaceAll('"', "'")}\``;
}

function commandRows(): readonly (readonly string[])[] {
  return [
    ...COMMANDS.map(({ name, argument, summary }) => [`[\`${name} ${argument.name}\`](#${name})`, summary]),
    ...GROUPS.map(({ name, summary }) => [`[\`${name} <action>\`](#${name})`, summary]),
  ];
}

function flagSection({ name, argument, summary, flags }: Command): string {
  const own = Object.fromEntries(Object.entries(flags).filter(([flag]) => !Object.hasOwn(SITE_FLAGS, flag)));
  const rows = [[`\`${argument.name}\``, argument.help], ...flagRows(own)];
  return `### Flags of ${name}\n\n${summary}\n\n${table(['Argument or flag', 'Description'], rows)}`;
}

function flagRows(flags: Flags): readonly (readonly string[])[] {
  return Object.entries(flags).map(([flag, { value, choices, help }]) => [
    `\`--${flag}${value === undefined ? '' : ` <${value}>`}\``,
    choices === undefined ? help : `${help} One of ${choices.map((each) => `\`${each}\``).join(', ')}.`,
  ]);
}

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [
    head,
    head.map(() => '---'),
    ...rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|'))),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function entries<Key extends string, Value>(record: Readonly<Record<Key, Value>>): readonly [Key, Value][] {
  return Object.entries(record) as [Key, Value][];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of REFERENCE_PAGES) {
    const file = path.join(ROOT, page);
    writeFileSync(file, withReference(readFileSync(file, 'utf8')));
  }
}
