import type { Diagnostic } from '../../source/diagnostic.ts';
import { escapeHtml } from '../../util/text.ts';

/** Lines shown before and after the one at fault. */
const LINES_AROUND = 3;
/** Other problems listed below the first. */
const MAX_LISTED = 10;

/** A place in a file, both numbers from 1. */
export interface FaultPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The error that Vite's client shows; `message`, `hint` and `highlightedCode` are HTML, as Astro's overlay expects. */
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

export interface Fault {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly place?: FaultPlace | undefined;
}

/**
 * What the overlay shows of faults, the first with the lines around it; undefined for none. `readText` answers a file's
 * text, or undefined where it is gone. Files below `root`, the project's folder, are listed from there. Texts are escaped:
 * content and its errors are anybody's.
 */
export function overlayError(
  faults: readonly Fault[],
  readText: (file: string) => string | undefined,
  root: string,
): OverlayError | undefined {
  const [first, ...others] = faults;
  if (first === undefined) return undefined;
  const { message, hint, place } = first;
  const text = place && readText(place.file);
  const listed = others.slice(0, MAX_LISTED).map((fault) => lineOf(fault, root));
  if (others.length > MAX_LISTED) listed.push(`… and ${others.length - MAX_LISTED} more`);
  return {
    name: 'ContentError',
    title: faults.length === 1 ? 'The content has an error' : `The content has ${faults.length} errors`,
    message: [message, ...listed].map(escapeHtml).join('<br>'),
    stack: faults.map((fault) => lineOf(fault, root)).join('\n'),
    plugin: 'astro-jsonapi',
    ...(hint !== undefined && { hint: escapeHtml(hint) }),
    ...(place && { loc: place }),
    ...(place && text !== undefined && { highlightedCode: frame(text, place) }),
  };
}

/** Errors of content files below a folder; what is no error is no fault. */
export function contentFaults(diagnostics: readonly Diagnostic[], contentDir: string): readonly Fault[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ key, line, column, message, hint }) => ({
      message,
      hint,
      place:
        key === '' || key.endsWith('/')
          ? undefined
          : { file: `${contentDir.replaceAll('\\', '/')}/${key}`, line, column },
    }));
}

/** `/site/content/schema.ts:2:21 message` */
export function placeText({ message, place }: Fault): string {
  return place === undefined ? message : `${place.file}:${place.line}:${place.column} ${message}`;
}

/** `content/article/a.md:2:21 message (hint)` */
function lineOf(fault: Fault, root: string): string {
  const text = placeText(fault);
  const start = `${root.replaceAll('\\', '/').replace(/\/$/, '')}/`;
  const hint = fault.hint === undefined ? '' : ` (${fault.hint})`;
  return `${text.startsWith(start) ? text.slice(start.length) : text}${hint}`;
}

/** As the overlay's own highlighter writes it, but for colours: the overlay marks the column below `error-line`. */
function frame(text: string, { line }: FaultPlace): string {
  const lines = text.split(/\r?\n/);
  const shown = lines.slice(Math.max(0, line - 1 - LINES_AROUND), line + LINES_AROUND);
  const first = Math.max(1, line - LINES_AROUND);
  const spans = shown.map((content, index) => {
    const fault = first + index === line ? ' error-line' : '';
    return `<span class="line${fault}">${escapeHtml(content)}</span>`;
  });
  // Numbered from the first line shown; wrapped, so that the mark comes to stand below its line.
  const start = `<pre class="shiki" style="white-space: pre-wrap"><code style="counter-reset: step ${first - 1}">`;
  return `${start}${spans.join('\n')}</code></pre>`;
}
