/**
 * Runs works of which `atOnce` are under way at a time. Others wait, in order; where `waiting` do already, what `refuse`
 * makes is thrown.
 */
export function createTurns(
  atOnce: number,
  waiting: number,
  refuse: () => Error,
): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running < atOnce) running += 1;
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve));
    else throw refuse();
    try {
      return await work();
    } finally {
      // The place goes on to the next one.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
