/** How much may be done for one text, while the server answers nobody else. */
export interface Effort {
  /** To be called at every small step. Throws TooMuchEffortError where it has been going on for too long. */
  spend(): void;
}

/** A text is not worth the time that it takes. */
export class TooMuchEffortError extends Error {
  override readonly name = 'TooMuchEffortError';
}

/** By the time that it takes, which is looked at now and then. `limitMs` in milliseconds. */
export function createEffort(limitMs: number): Effort {
  const end = now() + limitMs;
  let steps = 0;
  return {
    spend() {
      steps += 1;
      if (steps % STEPS === 0 && now() > end) throw new TooMuchEffortError();
    },
  };
}

/** Time of the processor, where that can be known: whether a text is taken must not depend on what else the machine does. */
function now(): number {
  const used = globalThis.process?.cpuUsage?.();
  return used === undefined ? performance.now() : (used.user + used.system) / 1000;
}

/** Small enough that even slow steps come to little in between. */
const STEPS = 64;

/** UTF-16 units of a text that is rendered to be checked. */
export const MAX_TEXT_UNITS = 500_000;

/**
 * Whether rendering a text could take long: processors of markdown hold every mark of a paragraph against the others.
 */
export function isTooMuch(text: string): boolean {
  if (text.length > MAX_TEXT_UNITS) return true;
  let pairs = 0;
  for (const paragraph of text.split(EMPTY_LINE)) pairs += (paragraph.match(MARK)?.length ?? 0) ** 2;
  return pairs > MAX_PAIRS;
}

const EMPTY_LINE = /\n[ \t]*\r?\n/;
const MARK = /[*_~&[\]!`<\\]/g;
/** As many as a paragraph with some twenty thousand marks has. */
const MAX_PAIRS = 5e8;
