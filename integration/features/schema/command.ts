import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { byBundle, layoutOptions } from '../../core/options/options.ts';
import type { ContentSite } from '../../core/runtime/command.ts';
import { CommandError, defineCommand, SITE_FLAGS, warn } from '../../core/runtime/command.ts';
import { projectImages } from '../../core/runtime/project-images.ts';
import { createFsDriver } from '../../core/storage/drivers/fs.ts';
import { counted } from '../../core/util/text.ts';
import { draftSchema } from './draft-schema.ts';

export const schema = defineCommand({
  name: 'schema',
  summary: 'Infer content/schema.ts from the files.',
  argument: { name: '[dir]', help: 'The content folder, or its project.' },
  flags: {
    print: { help: 'Print the schema instead of writing it.' },
    force: { help: 'Overwrite an existing schema.ts.' },
    ...SITE_FLAGS,
  },
  details: [
    'All files match the schema. Bare ids of existing entities become references, and paths of existing files become',
    'images and files. Edit the schema to make it stricter: files are checked against it, and queries have its types.',
  ],
  examples: [
    ['npx astro-jsonapi schema', 'Write the schema of this project'],
    ['npx astro-jsonapi schema ~/notes --print', 'Print the schema of a folder'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const { print, report, paintReport } = terminal;
    const site = await cli.findSite(flags, terminal, argument);
    const { contentDir, publicDir, folder, options, locale, languages } = site;
    const file = path.join(contentDir, 'schema.ts');
    if (!flags.print) checkExisting(site, file, `${folder}/schema.ts`, flags.force);
    const progress = await cli.openFolder(site, terminal);
    const { source, bundles, fields, unreadable } = await draftSchema(
      progress.driver,
      {
        published: byBundle(options, 'publishedStatuses'),
        danglingReferences: 'missing',
        defaultLangcode: locale,
        languages,
        layout: layoutOptions(options),
        timeZone: options.timeZone,
        titles: byBundle(options, 'title'),
        fields: byBundle(options, 'fields'),
      },
      existsSync(publicDir) ? createFsDriver(publicDir) : undefined,
      site.configFile === undefined ? undefined : projectImages(site.root, contentDir),
    ).finally(progress.done);
    if (unreadable > 0) {
      const files = counted(unreadable, 'unreadable file');
      warn(terminal, `The schema ignores ${files}. See: npx astro-jsonapi check ${folder}`);
    }
    if (flags.print) {
      print(source.trimEnd());
      return 0;
    }
    if (bundles === 0) throw new CommandError(`${folder} has no bundle folders with content.`);
    writeFileSync(file, source);
    print(`${folder}/schema.ts written: ${counted(bundles, 'bundle')}, ${counted(fields, 'field')}.`);
    const runtime = await cli.openContent(site, terminal, { gitDates: false });
    const problems = runtime.services.diagnostics().filter(({ severity }) => severity !== 'info');
    if (problems.length === 0) {
      report(`${paintReport('hint', '✓')} All files match the schema.`);
      return 0;
    }
    report(await runtime.describeProblems(problems));
    return 0;
  },
});

/** A config of content collections gives way to a schema. */
function checkExisting(site: ContentSite, file: string, name: string, force: boolean): void {
  const existing = site.schemaFile();
  if (existing !== undefined && !path.basename(existing).startsWith('schema.')) return;
  if (existing !== undefined && existing !== file) {
    throw new CommandError(
      `This folder already has the schema ${path.basename(existing)}. Remove it first, or use --print.`,
    );
  }
  if (existing !== undefined && !force) {
    throw new CommandError(`${name} already exists. Overwrite it with --force, or use --print.`);
  }
}
