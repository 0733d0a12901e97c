/** Something that was acknowledged. Times are milliseconds of the machine's own clock. */
export interface Saved {
  readonly line: string;
  /** When a writer began, or an editor last looked at the file. */
  readonly begun: number;
  readonly ended: number;
}

/** An editor that saves so long after it last looked was put to sleep in between: what came meanwhile, it overwrites. */
const LATE_SAVE_MS = 0.5;

/** What is not there, but for what an editor that was asleep has overwritten. */
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

/** Reads what `acknowledgement` has written; undefined for other lines. */
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
