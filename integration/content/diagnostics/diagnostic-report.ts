import { type Diagnostic, compareDiagnostics, countDiagnostics, placeOf } from '../../source/diagnostic.ts';
import { printable } from '../../util/printable.ts';
import { type FrameLine, codeFrame } from './code-frame.ts';

/** At most so many problems are shown with the lines they lie in; the others have a line each. */
export const MAX_FRAMES = 50;

/** Gives a piece of text a style, or leaves it as it is where there are no colours. */
export type Paint = (style: PaintStyle, text: string) => string;
export type PaintStyle = 'place' | 'error' | 'warning' | 'info' | 'hint' | 'quiet' | 'strong';

/** For where there are no colours. */
export const plainPaint: Paint = (_style, text) => text;

export interface ReportOptions {
  /** How places begin: the content folder as its author calls it. */
  readonly root: string;
  readonly paint: Paint;
  /** The text of a file by its key, asked for only where a frame is shown; undefined where it cannot be read. */
  readText(key: string): Promise<string | undefined>;
}

/**
 * Diagnostics grouped by file: for each its line, `content/article/a.md:4:13 message (hint)`, and the lines of the
 * file around it; then their number. Empty for an empty list.
 */
export async function reportDiagnostics(
  list: readonly Diagnostic[],
  { root, paint, readText }: ReportOptions,
): Promise<string> {
  if (list.length === 0) return '';
  const groups = Map.groupBy(list.toSorted(compareDiagnostics), ({ key }) => key);
  const blocks: string[] = [];
  let frames = 0;
  let text: { readonly key: string; readonly source: string | undefined } | undefined;
  for (const [key, group] of groups) {
    const lines: string[] = [];
    for (const diagnostic of group) {
      lines.push(headOf(diagnostic, root, paint));
      if (!hasPlace(diagnostic) || frames === MAX_FRAMES) continue;
      if (text?.key !== key) text = { key, source: await readText(key).catch(() => undefined) };
      const frame = text.source === undefined ? undefined : codeFrame(text.source, diagnostic);
      if (frame === undefined) continue;
      frames += 1;
      lines.push(...frame.map((line) => paintFrame(line, diagnostic.severity, paint)));
    }
    blocks.push(lines.join('\n'));
  }
  return `${blocks.reduce(joinBlocks)}\n\n${summary(list, paint)}`;
}

/** A line without a frame stands close to another such. */
function joinBlocks(before: string, block: string): string {
  const close = !block.includes('\n') && !before.slice(before.lastIndexOf('\n') + 1).startsWith(' ');
  return `${before}${close ? '\n' : '\n\n'}${block}`;
}

function headOf(diagnostic: Diagnostic, root: string, paint: Paint): string {
  const { severity, message, hint } = diagnostic;
  const label = severity === 'error' ? '' : `${paint(severity, `${severity}:`)} `;
  const place = paint('place', printable(placeOf(diagnostic, root)));
  const advice = hint === undefined ? '' : ` ${paint('hint', `(${printable(hint)})`)}`;
  return `${place} ${label}${printable(message)}${advice}`;
}

/** Whether a frame says more than the line above it: the start of a file stands for the whole of it. */
function hasPlace({ key, line, column }: Diagnostic): boolean {
  return key !== '' && !key.endsWith('/') && (line > 1 || column > 1);
}

function paintFrame(
  { kind, gutter, text }: FrameLine,
  severity: Diagnostic['severity'],
  paint: Paint,
): string {
  const style = { around: 'quiet', fault: undefined, mark: severity } as const;
  const edge = paint('quiet', `  ${gutter} │`);
  const painted = style[kind] === undefined ? text : paint(style[kind], text);
  return text === '' ? edge : `${edge} ${painted}`;
}

function summary(list: readonly Diagnostic[], paint: Paint): string {
  const files = new Set(list.map(({ key }) => key).filter((key) => key !== '' && !key.endsWith('/')));
  const where = files.size > 1 ? ` in ${files.size} files` : '';
  return `${paint('strong', countDiagnostics(list))}${where}.`;
}
