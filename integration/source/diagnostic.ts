import { printable } from '../util/printable.ts';

/** A problem of one content file, for its author. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable name for tests and tools, such as `reference/dangling`. */
  readonly code: string;
  /** Storage key of the file (or folder) at fault. */
  readonly key: string;
  /** Both from 1; the start of the file where the place is not known better. */
  readonly line: number;
  readonly column: number;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Where in the file's data it lies: keys as they are written, and indexes. Empty where it is about none of them. */
  readonly path?: DataPath;
}

/** Both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A diagnostic before it is known in which file it lies. */
export type Problem = Omit<Diagnostic, 'key'>;

export const FILE_START: Position = { line: 1, column: 1 };

/** By file, then by place. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.key, b.key) || a.line - b.line || a.column - b.column || compareText(a.code, b.code);
}

/**
 * A line per diagnostic, `content/article/a.md:4:13 message (hint)`, sorted by file and place, and a last line that
 * counts. Warnings and infos say so before their message. Empty for an empty list.
 */
export function formatDiagnostics(list: readonly Diagnostic[], options: { readonly root: string }): string {
  if (list.length === 0) {
    return '';
  }
  const lines = list
    .toSorted(compareDiagnostics)
    .map((diagnostic) => formatDiagnostic(diagnostic, options.root));
  return [...lines, `${countDiagnostics(list)}.`].join('\n');
}

/** `3 errors, 1 warning`: of each severity that there is. */
export function countDiagnostics(list: readonly Diagnostic[]): string {
  const counts = SEVERITIES.map(([severity, noun]) => {
    const count = list.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
  });
  return counts.filter((count) => count !== '').join(', ');
}

function formatDiagnostic(diagnostic: Diagnostic, root: string): string {
  const { severity, message, hint } = diagnostic;
  const label = severity === 'error' ? '' : `${severity}: `;
  const said = `${label}${message}${hint === undefined ? '' : ` (${hint})`}`;
  return printable(`${placeOf(diagnostic, root)} ${said}`);
}

/** `content/article/a.md:4:13`; a folder has no line. */
export function placeOf({ key, line, column }: Diagnostic, root: string): string {
  return key === '' || key.endsWith('/') ? `${root}/${key}` : `${root}/${key}:${line}:${column}`;
}

const SEVERITIES = [
  ['error', 'error'],
  ['warning', 'warning'],
  ['info', 'note'],
] as const;

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type DataPath = readonly (string | number)[];
