import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findSchema } from '../astro/schema-module.ts';
import { createFsDriver } from '../storage/drivers/fs.ts';
import { type Command, CommandError, SITE_FLAGS } from './command.ts';
import { findSite } from './find-site.ts';
import { openContent } from './open-content.ts';
import { withProgress } from './progress.ts';
import { writeSchema } from './write-schema.ts';

export const schema: Command = {
  name: 'schema',
  summary: 'Writes content/schema.ts from what the files hold, ready to edit.',
  argument: { name: '[dir]', help: 'The content folder, or the project it belongs to.' },
  flags: {
    print: { help: 'Print the schema and write nothing.' },
    force: { help: 'Write over the schema.ts that is there.' },
    ...SITE_FLAGS,
  },
  details: [
    'Every file fits the schema that is written. Texts that name entities by their bare ids become references, and',
    'paths of files that are there become images and files; all else is answered as before. Then it is yours to make stricter: fields are checked in every file, and',
    'typed in every query.',
  ],
  examples: [
    ['npx astro-jsonapi schema', 'Write the schema of this project'],
    ['npx astro-jsonapi schema ~/notes --print', 'See what it would be'],
  ],
  async run(input) {
    const { switches, terminal } = input;
    const { print, say, paintSaid } = terminal;
    const site = await findSite(input);
    const target = path.join(site.contentDir, 'schema.ts');
    const shown = `${site.folder}/schema.ts`;
    if (!switches.has('print')) refuseExisting(site.contentDir, target, shown, switches.has('force'));
    const progress = withProgress(createFsDriver(site.contentDir), site.folder, terminal);
    const { source, bundles, fields, unread } = await writeSchema(
      progress.driver,
      site.options,
      site.locale,
      existsSync(site.publicDir) ? createFsDriver(site.publicDir) : undefined,
    ).finally(progress.done);
    if (unread > 0) {
      const count = unread === 1 ? 'One file' : `${unread} files`;
      say(
        `${paintSaid('warning', 'warning:')} ${count} could not be read and had no part in it. See: npx astro-jsonapi check ${site.folder}`,
      );
    }
    if (switches.has('print')) {
      print(source.trimEnd());
      return 0;
    }
    if (bundles === 0)
      throw new CommandError(`${site.folder} has no bundle folders with content to infer from.`);
    writeFileSync(target, source);
    print(`${shown} written: ${counted(bundles, 'bundle')}, ${counted(fields, 'field')}.`);
    const runtime = await openContent(site, terminal, { gitDates: false });
    const problems = runtime.services.diagnostics().filter(({ severity }) => severity !== 'info');
    if (problems.length === 0) {
      say(`${paintSaid('hint', '✓')} Every file fits it.`);
      return 0;
    }
    say(await runtime.describeProblems(problems));
    return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
  },
};

function refuseExisting(contentDir: string, target: string, shown: string, force: boolean): void {
  const existing = findSchema(contentDir);
  if (existing !== undefined && existing !== target) {
    throw new CommandError(
      `${path.basename(existing)} is the schema of this folder. Remove it first, or use --print.`,
    );
  }
  if (existsSync(target) && !force) {
    throw new CommandError(
      `${shown} is there already. Write over it with --force, or see the new one with --print.`,
    );
  }
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
