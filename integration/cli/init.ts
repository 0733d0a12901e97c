import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandError, defineCommand } from '../core/runtime/command.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import { type Diagnostic, isError } from '../core/source/diagnostic.ts';
import { counted } from '../core/util/text.ts';
import { openContent } from './content.ts';
import { addIntegration, parseConfig } from './edit-config.ts';
import { diffOf, PROJECT_FLAGS, projectConfig } from './project-config.ts';
import { proposeSettings, withOptions } from './propose.ts';
import { findSite } from './site.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'Add the integration to the astro.config of a project, with options for its content.',
  argument: { name: '[dir]', help: 'The project.' },
  flags: PROJECT_FLAGS,
  details: [
    'The command finds the content folder, its bundles and languages, files that are hidden, and problems that would stop',
    'a build. It asks nothing, and the rest of the config stays as it is.',
  ],
  examples: [
    ['npx astro-jsonapi init', 'Set up this project'],
    ['npx astro-jsonapi init --dry-run', 'Show the changes only'],
  ],
  async run({ argument, flags, terminal }) {
    const { cwd, print, report, paintReport } = terminal;
    const file = projectConfig(flags.config, argument, cwd);
    const name = path.relative(cwd, file);
    const text = readFileSync(file, 'utf8');
    const source = readSource(text, name);
    if (source?.call !== undefined) {
      print(`${name} has the integration already. To check the content: npx astro-jsonapi check`);
      return 0;
    }
    const proposal = await proposeSettings(path.dirname(file), (contentDir) =>
      findSite({ content: contentDir, config: file, 'no-config': false }, terminal),
    );
    const { site, settings } = proposal;
    const runtime =
      site &&
      (await openContent(withOptions(site, proposal.options), terminal, {
        gitDates: false,
        danglingReferences: 'error',
      }));
    const problems = runtime?.services.diagnostics().filter(isError) ?? [];
    const options = { ...proposal.options, ...tolerance(problems) };
    const edited = source && addIntegration(source, options, settings);
    if (edited === undefined) {
      const given = Object.keys(options).length === 0 ? '' : JSON.stringify(options);
      const imported = /\.c[jt]s$/.test(name)
        ? "const { default: jsonapi } = require('astro-jsonapi')"
        : "import jsonapi from 'astro-jsonapi'";
      throw new CommandError(
        `${name} does not have a list of integrations that this command can extend. Add it by hand: ${imported}, and jsonapi(${given}) in \`integrations\`.`,
      );
    }
    const notes = [...proposal.notes, ...(runtime === undefined ? [] : bundleNotes(runtime))];
    for (const line of [...notes, ...problemNotes(problems, site?.folder)]) print(line);
    print(diffOf(name, text, edited, terminal));
    if (flags['dry-run']) {
      report('Nothing was changed. To make the changes, run the command without --dry-run.');
      return 0;
    }
    writeFileSync(file, edited);
    const manifest = path.join(path.dirname(file), 'package.json');
    const isInstalled = existsSync(manifest) && readFileSync(manifest, 'utf8').includes('"astro-jsonapi"');
    report(
      `${paintReport('hint', '✓')} ${name} written. Next: ${isInstalled ? '' : 'npm install astro-jsonapi && '}npx astro dev`,
    );
    return 0;
  },
});

function readSource(text: string, name: string): ReturnType<typeof parseConfig> {
  try {
    return parseConfig(text);
  } catch (cause) {
    throw new CommandError(`${name} cannot be read: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** The bundles of the site, with hidden entities, dates and images. */
function bundleNotes({ services: { store } }: Runtime): readonly string[] {
  return [...store.types.keys()].flatMap((type) => {
    const entities = store.entities(type);
    if (entities.length === 0) return [];
    const hidden = entities.filter(({ published }) => !published).length;
    const images = entities.reduce((sum, each) => sum + (each.images?.length ?? 0), 0);
    const created = entities
      .flatMap(({ values }) => (typeof values.created === 'string' ? [values.created.slice(0, 10)] : []))
      .toSorted();
    const details = [
      counted(entities.length, 'entity', 'entities'),
      hidden > 0 && `${hidden} hidden as unpublished`,
      created[0] !== undefined && `created ${[...new Set([created[0], created.at(-1)])].join(' to ')}`,
      images > 0 && counted(images, 'image'),
    ];
    return [`  ${type}: ${details.filter((detail) => detail !== false).join(', ')}`];
  });
}

/** Options with which missing files and references do not stop a build that plain Astro completes. */
function tolerance(problems: readonly Diagnostic[]): Readonly<Record<string, unknown>> {
  const codes = new Set(problems.map(({ code }) => code));
  const files = ['file/missing', 'file/outside', 'file/not-served'].filter((code) => codes.has(code));
  return {
    ...(codes.has('reference/dangling') && { danglingReferences: 'missing' }),
    ...(files.length > 0 && { problems: Object.fromEntries(files.map((code) => [code, 'warning'])) }),
  };
}

function problemNotes(problems: readonly Diagnostic[], folder = ''): readonly string[] {
  const [first] = problems;
  if (first === undefined) return [];
  const place = `${folder}/${first.key}:${first.line}:${first.column}`;
  return [
    `${counted(problems.length, 'problem')} of the content, such as ${place} ${first.message}`,
    'To list them: npx astro-jsonapi check',
  ];
}
