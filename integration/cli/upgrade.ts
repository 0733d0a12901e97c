import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandError, defineCommand } from '../core/runtime/command.ts';
import { counted, errorMessage } from '../core/util/text.ts';
import { diffOf, PROJECT_FLAGS, projectConfig } from './project-config.ts';
import { type Place, type Project, readProject } from './upgrade/project.ts';
import { STEPS, type Step } from './upgrade/steps.ts';

export const upgrade = defineCommand({
  name: 'upgrade',
  summary: 'Change a project that was made with an older version.',
  argument: { name: '[dir]', help: 'The project.' },
  flags: PROJECT_FLAGS,
  details: [
    'The command looks for options, code and content that rely on something that changed. It shows each change with its',
    'reason, and makes it. It lists the changes to make by hand with file, line and the text to write.',
    'Commit your work first.',
  ],
  examples: [
    ['npx astro-jsonapi upgrade', 'Change this project'],
    ['npx astro-jsonapi upgrade --dry-run', 'Show the changes only'],
  ],
  async run({ argument, flags, terminal }) {
    const { cwd, print, paint, report, paintReport } = terminal;
    const configPath = projectConfig(flags.config, argument, cwd);
    const root = path.dirname(configPath);
    const { before, after, applied, manual } = applySteps(read(configPath));
    if (applied.length + manual.length === 0) {
      const name = path.relative(cwd, configPath);
      print(
        before.read(before.configFile).includes('astro-jsonapi')
          ? `${paint('hint', '✓')} Nothing to change: ${name} is up to date.`
          : `${name} does not have the integration. To add it: npx astro-jsonapi init`,
      );
      return 0;
    }
    for (const { step, places } of applied) {
      const names = places.map(({ file, line }) => paint('place', `${file}:${line}`));
      print(`${step.explain} (${names.join(', ')})`);
    }
    const changed = [...after.files].filter(([file, text]) => text !== before.files.get(file));
    for (const [file, text] of changed) {
      print(diffOf(file, before.files.get(file) ?? '', text, terminal));
    }
    if (manual.length > 0) print(paint('strong', 'Change by hand:'));
    for (const { step, places } of manual) {
      for (const { file, line } of places.slice(0, MAX_PLACES)) {
        print(`${paint('place', `${file}:${line}`)} ${step.explain} Write ${step.write}.`);
      }
      if (places.length > MAX_PLACES) print(`… and ${counted(places.length - MAX_PLACES, 'more file')}`);
    }
    if (changed.length === 0) return 0;
    if (flags['dry-run']) {
      report('Nothing was changed. To make the changes, run the command without --dry-run.');
      return 0;
    }
    for (const [file, text] of changed) writeFileSync(path.join(root, file), text);
    const files = changed.map(([file]) => file);
    report(`${paintReport('hint', '✓')} ${counted(changed.length, 'file')} changed: ${files.join(', ')}`);
    if (files.includes('package.json')) report('Now install the packages, for example with: npm install');
    return 0;
  },
});

/** Files of one step that are listed. */
const MAX_PLACES = 10;

interface Result {
  readonly before: Project;
  readonly after: Project;
  /** The steps that were applied, with the places that needed them. */
  readonly applied: readonly Found[];
  /** The steps for people. */
  readonly manual: readonly Found[];
}

interface Found {
  readonly step: Step;
  readonly places: readonly Place[];
}

/** Applies all steps in memory, each to the result of those before it. */
function applySteps(before: Project): Result {
  let after = before;
  const applied: Found[] = [];
  const manual: Found[] = [];
  for (const step of STEPS) {
    const places = step.find(step.change === undefined ? before : after);
    const byHand = places.filter((place) => {
      const changed = step.change?.(after, place);
      after = changed ?? after;
      return changed === undefined;
    });
    const changed = places.filter((place) => !byHand.includes(place));
    if (changed.length > 0) applied.push({ step, places: changed });
    if (byHand.length > 0) manual.push({ step, places: byHand });
  }
  return { before, after, applied, manual };
}

function read(configPath: string): Project {
  try {
    return readProject(configPath);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new CommandError(`${path.basename(configPath)} cannot be read: ${errorMessage(cause)}`);
  }
}
