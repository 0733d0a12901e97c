import type { ChildProcess } from 'node:child_process';
import { on } from 'node:events';
import { UnrenderableError } from '../../core/read/heavy-text.ts';
import { createFairLimiter } from '../../core/util/fair-limiter.ts';
import { errorMessage } from '../../core/util/text.ts';
import { ownChecks } from '../../core/write/body.ts';
import type { ContentChecks } from '../../core/write/writer.ts';

/** The part of the renderers of Astro's Markdown processors that bodies need. */
export interface TextRenderer {
  render(text: string, options: RenderOptions): Promise<{ readonly code: string }>;
}

interface RenderOptions {
  readonly frontmatter: Record<string, unknown>;
  readonly fileURL?: URL;
}

/** The server sends one, and waits for the result before it sends the next. */
export type RenderRequest =
  | {
      readonly task: 'render';
      readonly text: string;
      readonly frontmatter: Record<string, unknown>;
      readonly fileURL: string | undefined;
    }
  | { readonly task: 'unsafeParts'; readonly html: string; readonly stored?: string | undefined }
  | { readonly task: 'imageProblem'; readonly bytes: Uint8Array };

/** The value of the result of each task. `unsafeParts` is null if there is too much HTML. */
export interface RenderValues {
  readonly render: { readonly code: string };
  readonly unsafeParts: readonly string[] | null;
  readonly imageProblem: string | undefined;
}

/** The process sends `ready` once, then `begun` and a result for each request. */
export type RenderReport = 'ready' | 'begun' | RenderResult;

/** A value, or the message of the error that the renderer threw. The process ends after a result with `isLast`. */
export type RenderResult = (
  | { readonly value: RenderValues[keyof RenderValues] }
  | { readonly error: string }
) & {
  readonly isLast: boolean;
};

/** Seconds of processor time per request, which do not depend on the load of the machine. */
export const MAX_SECONDS = 5;
/** Seconds per request, with waiting. */
export const MAX_WAIT_SECONDS = 20;
/** Megabytes that one request may add to the process. */
export const MAX_MEGABYTES = 512;
/** UTF-16 units of HTML per text. */
export const MAX_HTML_UNITS = 32_000_000;

export interface RenderingProcessDeps {
  /** URL of a module that calls `answerRenderRequests`, and the arguments that it gets. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Creates the renderer on systems that cannot start processes. */
  inProcess(): Promise<TextRenderer>;
  warn(message: string): void;
}

/**
 * Renders and checks in a child process, so that long loops, memory, and crashes do not affect this one. The child starts
 * at the first request, handles one request at a time, and ends after a minute without requests, or with this process. For
 * a text that crashes it, `render` rejects with an UnrenderableError; the checks reject such content.
 */
export function createRenderingProcess(deps: RenderingProcessDeps): TextRenderer & ContentChecks {
  const inTurn = createFairLimiter(1, Number.POSITIVE_INFINITY, () => new RangeError());
  let connection: Connection | TextRenderer | undefined;
  let wasConnected = false;

  async function perform<Task extends keyof RenderValues>(
    request: RenderRequest & { readonly task: Task },
    inProcess: (renderer: TextRenderer) => Promise<RenderValues[Task]>,
  ): Promise<RenderValues[Task]> {
    // The process may have ended since the last request, which is noticed now.
    for (let attempt = 1; attempt <= 2; attempt++) {
      connection ??= await connect();
      if ('render' in connection) return inProcess(connection);
      const answer = await connection.send(request);
      if (typeof answer === 'string' || answer.isLast) connection = undefined;
      if (answer === 'ended') throw new UnrenderableError(TOO_MUCH);
      if (answer === 'not begun') continue;
      if ('error' in answer) throw new Error(answer.error);
      // The value of this task.
      return answer.value as RenderValues[Task];
    }
    throw new Error('The process that renders bodies ends before it renders anything.');
  }

  /** The child process, or a renderer in this process if the system cannot start processes. */
  async function connect(): Promise<Connection | TextRenderer> {
    try {
      const opened = await openConnection(await start(deps));
      wasConnected = true;
      return opened;
    } catch (cause) {
      const reason = `The process that renders bodies cannot be started: ${errorMessage(cause)}`;
      if (wasConnected) throw new Error(reason, { cause });
      deps.warn(
        `${reason} Bodies are rendered in the server's own process, without limits on time and memory.`,
      );
      return deps.inProcess();
    }
  }

  return {
    render(text, options) {
      const { frontmatter, fileURL } = options;
      const request = { task: 'render', text, frontmatter, fileURL: fileURL?.href } as const;
      return inTurn(() => perform(request, (renderer) => renderer.render(text, options)));
    },
    unsafeParts(html, stored) {
      const request = { task: 'unsafeParts', html, stored } as const;
      return inTurn(() => perform(request, () => ownChecks.unsafeParts(html, stored))).catch(orIfEnded(null));
    },
    imageProblem(bytes) {
      const request = { task: 'imageProblem', bytes } as const;
      return inTurn(() => perform(request, () => ownChecks.imageProblem(bytes))).catch(orIfEnded(TOO_LARGE));
    },
  };
}

/** Handles the error of a request that ended the process. */
function orIfEnded<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof UnrenderableError) return value;
    throw error;
  };
}

const TOO_LARGE = `decoding it takes more than ${MAX_SECONDS} seconds or ${MAX_MEGABYTES} MB, or crashes the decoder.`;

const TOO_MUCH = `rendering takes more than ${MAX_SECONDS} seconds or ${MAX_MEGABYTES} MB, makes too much HTML, or crashes the renderer. Make the text shorter or simpler.`;

async function start({ entry, args = [] }: RenderingProcessDeps): Promise<ChildProcess> {
  // Imported late, because some systems have no processes and most servers need none.
  const { fork } = await import('node:child_process');
  const child = fork(new URL(entry), args, {
    env: necessaryEnvironment(),
    execArgv: [],
    serialization: 'advanced',
  });
  // Neither the process nor its channel keeps this process from ending.
  child.unref();
  child.channel?.unref();
  return child;
}

interface Connection {
  send(request: RenderRequest): Promise<RenderResult | 'not begun' | 'ended'>;
}

/** Resolves when the process is ready. */
async function openConnection(child: ChildProcess): Promise<Connection> {
  const reports = on(child, 'message', { close: ['disconnect'] });

  /** Undefined if the process has ended. */
  async function next(): Promise<RenderReport | undefined> {
    const report = await reports.next();
    if (report.done !== true) return report.value[0] as RenderReport;
    child.kill('SIGKILL');
    return undefined;
  }

  if ((await next()) === undefined) throw new Error('it ended too early.');
  return {
    async send(request) {
      // If the process has ended, no report follows.
      child.send(request, () => undefined);
      if ((await next()) === undefined) return 'not begun';
      const result = await next();
      return typeof result === 'object' ? result : 'ended';
    },
  };
}

/** The variables that Node and packages need. Others may be secrets. */
function necessaryEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => NECESSARY.test(name)));
}

const NECESSARY =
  /^(?:PATH|HOME|USERPROFILE|SYSTEMROOT|TMPDIR|TEMP|TMP|LANG|LC_\w+|TZ|NODE_ENV|NODE_OPTIONS|NODE_PATH)$/i;
