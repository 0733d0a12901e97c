/** An acknowledged write. Times are milliseconds of the machine's clock. */
export interface Saved {
  readonly line: string;
  /** The time when a writer began, or an editor last read the file. */
  readonly begun: number;
  readonly ended: number;
}

/**
 * An editor with a longer time between reading and saving was suspended, and overwrites what others wrote in
 * between.
 */
const LATE_SAVE_MS = 0.5;

/** The lost writes, except those that a suspended editor has overwritten. */
export function lostAmong(
  saved: readonly Saved[],
  present: ReadonlySet<string>,
  byEditor: readonly Saved[],
): readonly Saved[] {
  const late = lateSaves(byEditor);
  return saved.filter(
    (each) =>
      !present.has(each.line) && !late.some(({ begun, ended }) => each.begun <= ended && begun <= each.ended),
  );
}

export function lateSaves(byEditor: readonly Saved[]): readonly Saved[] {
  return byEditor.filter(({ begun, ended }) => ended - begun > LATE_SAVE_MS);
}

/** Parses a line of `acknowledgement`; undefined for other lines. */
export function readAcknowledgement(text: string): Saved | undefined {
  const [, begun, ended, line] = /^acknowledged (\S+) (\S+) (.*)$/.exec(text) ?? [];
  return line === undefined ? undefined : { line, begun: Number(begun), ended: Number(ended) };
}

export function acknowledgement({ line, begun, ended }: Saved): string {
  return `acknowledged ${begun} ${ended} ${line}`;
}

/** The same for all processes. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
