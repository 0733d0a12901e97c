import type { Paint } from '../source/diagnostic.ts';
import type { Command, CommandGroup } from './command.ts';

export function overviewHelp(
  commands: readonly Command[],
  groups: readonly CommandGroup[],
  paint: Paint,
): string {
  const rows = [
    ...commands.map(({ name, argument, summary }) => [`${name} ${argument.name}`, summary] as const),
    ...groups.map(({ name, summary }) => [`${name} <action>`, summary] as const),
  ];
  const examples = [...commands, ...groups.flatMap(({ commands }) => commands.slice(0, 1))].flatMap(
    ({ examples }) => examples.slice(0, 1),
  );
  return [
    'Markdown in git, answered as JSON:API. Sites are built and served by Astro; these commands work on the',
    'content folder alone, with the options that the nearest astro.config gives for it.',
    '',
    `${paint('strong', 'Usage:')} npx astro-jsonapi <command> [argument] [flags]`,
    '',
    paint('strong', 'Commands'),
    ...table(rows, paint),
    '',
    paint('strong', 'Examples'),
    ...exampleLines(examples, paint),
    '',
    `More on a command: npx astro-jsonapi help ${commands[0]?.name ?? ''}`,
    'Version: npx astro-jsonapi --version',
  ].join('\n');
}

export function groupHelp({ name, summary, details, commands }: CommandGroup, paint: Paint): string {
  const rows = commands.map((each) => [`${each.name} ${each.argument.name}`, each.summary] as const);
  return [
    summary,
    '',
    `${paint('strong', 'Usage:')} npx astro-jsonapi ${name} <action> [argument] [flags]`,
    '',
    ...details,
    '',
    ...table(rows, paint),
    '',
    paint('strong', 'Examples'),
    ...exampleLines(
      commands.flatMap(({ examples }) => examples.slice(0, 1)),
      paint,
    ),
    '',
    `More on one of them: npx astro-jsonapi help ${commands[0]?.name ?? ''}`,
  ].join('\n');
}

export function commandHelp(command: Command, paint: Paint): string {
  const { name, summary, details, argument, flags, examples } = command;
  const rows = Object.entries(flags).map(
    ([flag, { value, help }]) => [`--${flag}${value === undefined ? '' : ` <${value}>`}`, help] as const,
  );
  return [
    summary,
    '',
    `${paint('strong', 'Usage:')} npx astro-jsonapi ${name} ${argument.name} [flags]`,
    '',
    ...(details.length > 0 ? [...details, ''] : []),
    ...table([[argument.name, argument.help], ...rows], paint),
    '',
    paint('strong', 'Examples'),
    ...exampleLines(examples, paint),
  ].join('\n');
}

function table(rows: readonly (readonly [string, string])[], paint: Paint): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${paint('place', name.padEnd(width))}  ${text}`);
}

function exampleLines(examples: Command['examples'], paint: Paint): string[] {
  return examples.flatMap(([line, what]) => [`  ${paint('quiet', `# ${what}`)}`, `  ${line}`]);
}
