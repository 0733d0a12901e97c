import { stripVTControlCharacters } from 'node:util';
import type { Diagnostic } from '../../core/source/diagnostic.ts';
import { escapeHtml } from '../../core/util/text.ts';

/** Lines before and after the line of the error. */
const LINES_AROUND = 3;
/** Errors listed below the first one. */
const MAX_LISTED = 10;

/** A position in a file. Both numbers count from 1. */
export interface FaultPosition {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error for Vite's client. `message`, `hint`, and `highlightedCode` are HTML, as Astro's overlay expects. */
export interface OverlayError {
  readonly name: string;
  readonly title: string;
  readonly message: string;
  readonly stack: string;
  readonly plugin: string;
  readonly hint?: string;
  readonly highlightedCode?: string;
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number };
}

/** An error of the content or of its schema. */
export interface Fault {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly position?: FaultPosition | undefined;
}

/**
 * The overlay of these errors: the first one with its lines, and a list of the others. Undefined without errors. Text is
 * escaped, because authors of content are not trusted. Paths below `root` are shown relative to it.
 */
export function overlayError(
  faults: readonly Fault[],
  readText: (file: string) => string | undefined,
  root: string,
): OverlayError | undefined {
  const [first, ...others] = faults;
  if (first === undefined) return undefined;
  const { message, hint, position } = first;
  const text = position && readText(position.file);
  const listed = others.slice(0, MAX_LISTED).map((fault) => formatRelative(fault, root));
  if (others.length > MAX_LISTED) listed.push(`… and ${others.length - MAX_LISTED} more`);
  return {
    name: 'ContentError',
    title: faults.length === 1 ? 'The content has an error' : `The content has ${faults.length} errors`,
    message: [message, ...listed].map(escapeHtml).join('<br>'),
    stack: faults.map((fault) => formatRelative(fault, root)).join('\n'),
    plugin: 'astro-jsonapi',
    ...(hint !== undefined && { hint: escapeHtml(hint) }),
    ...(position && { loc: position }),
    ...(position && text !== undefined && { highlightedCode: codeFrame(text, position) }),
  };
}

/** The errors of the content. `contentDir` is an absolute path. */
export function contentFaults(diagnostics: readonly Diagnostic[], contentDir: string): readonly Fault[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ key, line, column, message, hint }) => ({
      message,
      hint,
      position:
        key === '' || key.endsWith('/')
          ? undefined
          : { file: `${contentDir.replaceAll('\\', '/')}/${key}`, line, column },
    }));
}

/** `/site/content/schema.ts:2:21 message` */
export function formatFault({ message, position }: Fault): string {
  return position === undefined ? message : `${position.file}:${position.line}:${position.column} ${message}`;
}

/** `content/article/a.md:2:21 message (hint)` */
function formatRelative(fault: Fault, root: string): string {
  const text = formatFault(fault);
  const start = `${root.replaceAll('\\', '/').replace(/\/$/, '')}/`;
  const hint = fault.hint === undefined ? '' : ` (${fault.hint})`;
  return `${text.startsWith(start) ? text.slice(start.length) : text}${hint}`;
}

/** HTML like that of the overlay's own highlighter. The overlay marks the column below `error-line`. */
function codeFrame(text: string, { line }: FaultPosition): string {
  const lines = text.split(/\r?\n/);
  const excerpt = lines.slice(Math.max(0, line - 1 - LINES_AROUND), line + LINES_AROUND);
  const first = Math.max(1, line - LINES_AROUND);
  const spans = excerpt.map((content, index) => {
    const mark = first + index === line ? ' error-line' : '';
    return `<span class="line${mark}">${escapeHtml(content)}</span>`;
  });
  // Wrapped lines keep the mark below its line.
  const start = `<pre class="shiki" style="white-space: pre-wrap"><code style="counter-reset: step ${first - 1}">`;
  return `${start}${spans.join('\n')}</code></pre>`;
}

/** Runs `load` with source maps, so that stacks of its errors have positions in TypeScript. */
export async function withSourcePositions<T>(load: () => Promise<T>): Promise<T> {
  const wasEnabled = process.sourceMapsEnabled;
  process.setSourceMapsEnabled(true);
  try {
    return await load();
  } catch (error) {
    // V8 formats a stack when it is first read.
    for (const each of causes(error)) void each.stack;
    throw error;
  } finally {
    process.setSourceMapsEnabled(wasEnabled);
  }
}

/** An error of a schema module, with its position in one of `files` (absolute paths), else at the start of the first. */
export function schemaFault(error: unknown, files: readonly string[]): Fault {
  const [first] = causes(error);
  const message = stripVTControlCharacters(first?.message ?? String(error));
  const position = causes(error)
    .map((cause) => findPosition(stripVTControlCharacters(`${cause.message}\n${cause.stack}`), files))
    .find((each) => each !== undefined);
  const [file] = files;
  return {
    message: withoutExcerpt(message),
    hint: 'Until this is fixed, the last valid schema is used.',
    position: position ?? (file === undefined ? undefined : { file, line: 1, column: 1 }),
  };
}

function causes(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

/** The first position in one of the files, in the format of stacks and parsers. */
function findPosition(text: string, files: readonly string[]): FaultPosition | undefined {
  for (const word of text.split(/[\s()[\]]+/)) {
    const [, name, line, column] = /^(.+):(\d+):(\d+)/.exec(word) ?? [];
    if (name === undefined) continue;
    const source = name.replace(/^file:\/\//, '').replaceAll('\\', '/');
    const file = files.find((each) => each === source || each.replaceAll('\\', '/').endsWith(`/${source}`));
    if (file !== undefined) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

// Parsers add an excerpt of the source, which the overlay shows too.
function withoutExcerpt(message: string): string {
  return message
    .split('\n')
    .filter((line) => line.trim() !== '' && !/[╭│╰─┬]/.test(line))
    .join(' ');
}
