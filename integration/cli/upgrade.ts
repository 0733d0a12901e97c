import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import { CommandError, defineCommand, type Terminal } from '../core/runtime/command.ts';
import { counted, errorMessage } from '../core/util/text.ts';
import { findConfig } from './site.ts';
import { type Place, type Project, readProject } from './upgrade/project.ts';
import { STEPS, type Step } from './upgrade/steps.ts';

export const upgrade = defineCommand({
  name: 'upgrade',
  summary: 'Change a project that was made with an older version.',
  argument: { name: '[dir]', help: 'The project.' },
  flags: {
    write: { help: 'Make the changes without asking. Without a terminal, the command only shows them.' },
    config: { value: 'file', help: 'Specify the astro.config. Default: the nearest one.' },
  },
  details: [
    'The command looks for options, code and content that rely on something that changed. It shows each change with its',
    'reason, and asks before it makes them. What it cannot change is listed with file, line and the text to write.',
    'Commit your work first.',
  ],
  examples: [
    ['npx astro-jsonapi upgrade', 'Show the changes, and ask'],
    ['npx astro-jsonapi upgrade --write', 'Make the changes'],
  ],
  async run({ argument, flags, terminal }) {
    const { cwd, print, paint, report, paintReport } = terminal;
    const configPath = findConfig(flags.config, path.resolve(cwd, argument ?? '.'), cwd);
    if (configPath === undefined) throw new CommandError('This folder and its parents have no astro.config.');
    const root = path.dirname(configPath);
    const { before, after, applied, manual } = applySteps(read(configPath));
    if (applied.length + manual.length === 0) {
      print(`${paint('hint', '✓')} Nothing to change: ${path.relative(cwd, configPath)} is up to date.`);
      return 0;
    }
    for (const { step, places } of applied) {
      const names = places.map(({ file, line }) => paint('place', `${file}:${line}`));
      print(`${step.explain} (${names.join(', ')})`);
    }
    const changed = [...after.files].filter(([file, text]) => text !== before.files.get(file));
    for (const [file, text] of changed) {
      print(`\n${diffOf(file, before.files.get(file) ?? '', text, terminal)}\n`);
    }
    if (manual.length > 0) print(paint('strong', 'Change by hand:'));
    for (const { step, places } of manual) {
      for (const { file, line } of places.slice(0, MAX_PLACES)) {
        print(`${paint('place', `${file}:${line}`)} ${step.explain} Write ${step.write}.`);
      }
      if (places.length > MAX_PLACES) print(`… and ${counted(places.length - MAX_PLACES, 'more file')}`);
    }
    if (changed.length === 0) return 0;
    const question = `Change ${counted(changed.length, 'file')}?`;
    if (!flags.write && (terminal.confirm === undefined || !(await terminal.confirm(question)))) {
      report('Nothing was changed. To make the changes: npx astro-jsonapi upgrade --write');
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

function diffOf(name: string, before: string, after: string, { paint }: Terminal): string {
  const patch = createTwoFilesPatch(name, name, before, after, '', '', { headerOptions: OMIT_HEADERS });
  const lines = patch.trimEnd().split('\n');
  const painted = lines.map((line) =>
    line.startsWith('+') ? paint('hint', line) : line.startsWith('-') ? paint('error', line) : line,
  );
  return [paint('place', name), ...painted].join('\n');
}
