import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import pLimit from 'p-limit';

/** One `astro build`, or `astro sync` without `outDir`. Both paths are absolute. */
export interface BuildRequest {
  readonly dir: string;
  readonly outDir?: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number | null;
  /** Both streams, without colours. */
  readonly output: string;
}

/** Builds at the same time. */
const PROCESSES = 2;

/** Builds the sites of all test files, in processes that start with the first build. */
export async function startBuilder(): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();
  const inTurn = pLimit(PROCESSES);

  function take(): ChildProcess {
    // A process can end after its last build.
    const living = idle.splice(0).filter(({ connected }) => connected);
    const child =
      living.pop() ?? fork(path.join(import.meta.dirname, 'build-process.ts'), { env: environment({}) });
    idle.push(...living);
    all.add(child);
    return child;
  }

  const server = createServer(async (request, response) => {
    const wanted = (await json(request)) as BuildRequest;
    const result = await inTurn(async () => {
      const child = take();
      child.send(wanted);
      const over = new AbortController();
      const [finished]: Finished[] = await Promise.race([
        once(child, 'message', over),
        ended(child, over.signal),
      ]);
      over.abort();
      idle.push(child);
      return finished;
    });
    response.end(JSON.stringify(result));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const child of all) child.kill();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Asks the builder of the test run for a build. */
export async function requestBuild(builder: string, wanted: BuildRequest): Promise<Finished> {
  const response = await fetch(builder, { method: 'POST', body: JSON.stringify(wanted) });
  return (await response.json()) as Finished;
}

async function ended(child: ChildProcess, signal: AbortSignal): Promise<Finished[]> {
  const [code]: (number | null)[] = await once(child, 'exit', { signal });
  return [{ code: code ?? null, output: 'The build ended its process.' }];
}

/** The environment for a process that prints no colours. */
export function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...plainEnvironment(), NO_COLOR: '1', ASTRO_TELEMETRY_DISABLED: '1', ...env };
}

/** The environment without the variables of the test runner. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const inherited = { ...process.env };
  for (const name of ['NODE_ENV', 'VITEST', 'BASE_URL', 'NO_COLOR', 'FORCE_COLOR']) delete inherited[name];
  return inherited;
}
