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
