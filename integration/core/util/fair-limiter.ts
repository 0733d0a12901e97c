/** The owner of a task. */
export interface TaskOptions {
  /** Parties that share the turns, such as the network and the account of a sign-in. */
  readonly parties?: readonly string[];
  /** Puts the task into a second queue, which gets every other turn. */
  readonly isReserved?: boolean;
}

/**
 * Runs at most `atOnce` tasks at a time. Up to `waiting` others wait in each of two queues; further tasks are rejected with
 * the error of `refuse`.
 *
 * Parties take turns: of several waiting tasks of a party, only the first stands in line, and the next one joins the end
 * of the line when the first one starts. So a party with many tasks delays the others by one task at a time. When a queue
 * is full, a new task replaces the last task of the party with the most tasks.
 */
export function createFairLimiter(
  atOnce: number,
  waiting: number,
  refuse: () => Error,
): <T>(work: () => Promise<T>, options?: TaskOptions) => Promise<T> {
  const open = createQueue(waiting, refuse);
  const reserved = createQueue(waiting, refuse);
  let running = 0;
  let isReservedTurn = true;

  function startNext(): void {
    const [first, second] = isReservedTurn ? [reserved, open] : [open, reserved];
    isReservedTurn = !isReservedTurn;
    const start = first.shift() ?? second.shift();
    if (start === undefined) running -= 1;
    else start();
  }

  return async (work, { parties = [], isReserved = false } = {}) => {
    if (running < atOnce) running += 1;
    else await (isReserved ? reserved : open).wait(parties);
    try {
      return await work();
    } finally {
      startNext();
    }
  };
}

/**
 * Runs tasks at once, each in one of `count` places. If all are taken, a new task gets the place of the newest task of the
 * party with the most tasks. Its signal aborts, and it is rejected with the error of `refuse`; so is the new task if it
 * belongs to that party itself.
 */
export function createFairPlaces(
  count: number,
  refuse: () => Error,
): <T>(party: string, work: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  let tasks: readonly { readonly parties: readonly string[]; readonly end: AbortController }[] = [];
  return async (party, work) => {
    const task = { parties: [party], end: new AbortController() };
    const { signal } = task.end;
    if (tasks.length >= count) {
      const replaced = taskToReplace(tasks, task.parties);
      if (replaced === undefined) throw refuse();
      tasks = tasks.filter((other) => other !== replaced);
      replaced.end.abort(refuse());
    }
    tasks = [...tasks, task];
    const replacement = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    try {
      return await Promise.race([work(signal), replacement]);
    } finally {
      tasks = tasks.filter((other) => other !== task);
    }
  };
}

interface Waiting {
  readonly parties: readonly string[];
  /** Its number in the line; undefined while an earlier task of one of its parties waits. */
  joined: number | undefined;
  start(): void;
  reject(error: Error): void;
}

function createQueue(limit: number, refuse: () => Error) {
  /** In order of arrival. */
  let tasks: readonly Waiting[] = [];
  let joins = 0;

  function setTasks(next: readonly Waiting[]): void {
    tasks = next;
    for (const [at, rank] of ranks(tasks).entries()) {
      const task = tasks[at];
      if (task === undefined || rank > 0 || task.joined !== undefined) continue;
      joins += 1;
      task.joined = joins;
    }
  }

  /** Makes room for a task of these parties, if another party has more tasks waiting. */
  function makeRoom(parties: readonly string[]): boolean {
    const last = taskToReplace(tasks, parties);
    if (last === undefined) return false;
    setTasks(tasks.filter((task) => task !== last));
    last.reject(refuse());
    return true;
  }

  return {
    async wait(parties: readonly string[]): Promise<void> {
      if (tasks.length >= limit && !makeRoom(parties)) throw refuse();
      await new Promise<void>((start, reject) =>
        setTasks([...tasks, { parties, joined: undefined, start, reject }]),
      );
    },
    /** Takes the first task of the line out of the queue. */
    shift(): (() => void) | undefined {
      const [first] = tasks
        .filter(({ joined }) => joined !== undefined)
        .sort((a, b) => (a.joined ?? 0) - (b.joined ?? 0));
      if (first !== undefined) setTasks(tasks.filter((task) => task !== first));
      return first?.start;
    },
  };
}

/** The last task of the party with the most tasks; undefined if no party has more tasks than these parties would have. */
function taskToReplace<T extends Pick<Waiting, 'parties'>>(
  tasks: readonly T[],
  parties: readonly string[],
): T | undefined {
  const all = ranks([...tasks, { parties }]);
  const own = all.pop() ?? 0;
  const most = Math.max(...all);
  return most > own ? tasks[all.lastIndexOf(most)] : undefined;
}

/** For each task, how many earlier tasks one of its parties has. */
function ranks(tasks: readonly Pick<Waiting, 'parties'>[]): number[] {
  const counts = new Map<string, number>();
  return tasks.map(({ parties }) => {
    const rank = Math.max(0, ...parties.map((party) => counts.get(party) ?? 0));
    for (const party of parties) counts.set(party, (counts.get(party) ?? 0) + 1);
    return rank;
  });
}
