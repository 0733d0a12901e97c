import { statSync } from 'node:fs';
import path from 'node:path';
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import { CommandError, type Terminal } from '../core/runtime/command.ts';
import { adviceForSites, findConfig } from './site.ts';

/** Flags of commands that change a project. */
export const PROJECT_FLAGS = {
  'dry-run': { help: 'Show the changes without making them.' },
  config: { value: 'file', help: 'Specify the astro.config. Default: the nearest one.' },
} as const;

/** The absolute path of the config of a project: of `folder`, else of the working directory. */
export function projectConfig(config: string | undefined, folder: string | undefined, cwd: string): string {
  const from = path.resolve(cwd, folder ?? '.');
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`The folder ${folder} does not exist.`);
  }
  const file = findConfig(config, from, cwd);
  if (file !== undefined) return file;
  const advice = adviceForSites(from, cwd) ?? 'Create a project first: npm create astro@latest';
  throw new CommandError(`There is no astro.config in this folder. ${advice}`);
}

/** The lines of a file that differ, as a unified diff in colors. */
export function diffOf(name: string, before: string, after: string, { paint }: Terminal): string {
  const patch = createTwoFilesPatch(name, name, before, after, '', '', { headerOptions: OMIT_HEADERS });
  const lines = patch
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .map((line) =>
      line.startsWith('+') ? paint('hint', line) : line.startsWith('-') ? paint('error', line) : line,
    );
  return ['', paint('place', name), ...lines, ''].join('\n');
}
