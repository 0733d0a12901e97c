import { compareText, counted, printable } from '../util/text.ts';

/** A problem in one content file, for its author, before its file is known. */
export interface Problem extends Position {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable name for tests and tools, for example `reference/dangling`. */
  readonly code: string;
  /** One sentence that describes the problem. */
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string | undefined;
  /** Keys, as written, and indexes that lead to the faulty value in the file's data. */
  readonly path?: DataPath | undefined;
  /** The entity that a dangling reference names. */
  readonly missing?: { readonly type: string; readonly id: string } | undefined;
}

export interface Diagnostic extends Problem {
  /** Storage key of the file. A folder ends in a slash; the empty key is the content folder itself. */
  readonly key: string;
}

/** Both count from 1; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type DataPath = readonly (string | number)[];

/** Finds the position of a key or its value in a text; undefined if the path does not exist. */
export type Locator = (path: DataPath, part?: 'key' | 'value') => Position | undefined;

export const FILE_START: Position = { line: 1, column: 1 };

export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

/** A problem, by default at the start of its file. */
export function problem(
  severity: Problem['severity'],
  code: string,
  message: string,
  hint?: string,
  position: Position = FILE_START,
  path?: DataPath,
): Problem {
  return { severity, code, ...position, message, ...(hint && { hint }), ...(path && { path }) };
}

export function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}

/** Problems listed per file and severity. */
export const MAX_PROBLEMS = 50;

/** Collects the problems of one file. */
export interface ProblemList {
  readonly problems: readonly Problem[];
  /** Calls `position` only if the problem is listed, because finding it parses the file again. */
  add(problem: Omit<Problem, keyof Position>, position: () => Position): void;
}

export function createProblemList(): ProblemList {
  const problems: Problem[] = [];
  const counts = { error: 0, warning: 0, info: 0 };
  return {
    problems,
    add(added, position) {
      const { severity } = added;
      counts[severity] += 1;
      if (counts[severity] <= MAX_PROBLEMS) {
        problems.push({ ...added, ...position() });
      } else if (counts[severity] === MAX_PROBLEMS + 1) {
        const more = `There are more than ${MAX_PROBLEMS} problems of this kind. The others are not listed.`;
        problems.push(problem(severity, 'file/more-problems', more, undefined, position()));
      }
    },
  };
}

/** Sorts by file, then by position. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.key, b.key) || a.line - b.line || a.column - b.column || compareText(a.code, b.code);
}

/** Without repetitions. */
export function distinctProblems<P extends Problem>(problems: readonly P[]): readonly P[] {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}

/** Styles a piece of text, or returns it unchanged without colors. */
export type Paint = (style: PaintStyle, text: string) => string;
export type PaintStyle = 'place' | 'error' | 'warning' | 'info' | 'hint' | 'quiet' | 'strong';

export const plainPaint: Paint = (_style, text) => text;

/**
 * One line per diagnostic, `content/article/a.md:4:13 message (hint)`, sorted by file and position, then a line with
 * the counts. Empty for an empty list.
 */
export function formatDiagnostics(list: readonly Diagnostic[], options: { readonly root: string }): string {
  if (list.length === 0) return '';
  const lines = list
    .toSorted(compareDiagnostics)
    .map((diagnostic) => formatDiagnostic(diagnostic, options.root));
  return [...lines, `${countDiagnostics(list)}.`].join('\n');
}

/** `content/article/a.md:4:13 warning: message (hint)`. Errors have no label, folders no line. */
export function formatDiagnostic(diagnostic: Diagnostic, root: string, paint: Paint = plainPaint): string {
  const { severity, key, line, column, message, hint } = diagnostic;
  const file = placeOf(root, key);
  const location = key === '' || key.endsWith('/') ? file : `${file}:${line}:${column}`;
  const label = severity === 'error' ? '' : `${paint(severity, `${severity}:`)} `;
  const advice = hint === undefined ? '' : ` ${paint('hint', `(${printable(hint)})`)}`;
  return `${paint('place', printable(location))} ${label}${printable(message)}${advice}`;
}

/** The path of a file, also of one outside of the folder: `src/content.config.ts` of `../content.config.ts`. */
function placeOf(root: string, key: string): string {
  if (!key.startsWith('../') || root === '.') return `${root}/${key}`;
  const end = root.lastIndexOf('/');
  return end === -1 ? key.slice(3) : placeOf(root.slice(0, end), key.slice(3));
}

/** `3 errors, 1 warning`. */
export function countDiagnostics(list: readonly Diagnostic[]): string {
  return SEVERITIES.flatMap(([severity, noun]) => {
    const count = list.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? [] : [counted(count, noun)];
  }).join(', ');
}

const SEVERITIES = [
  ['error', 'error'],
  ['warning', 'warning'],
  ['info', 'note'],
] as const;
