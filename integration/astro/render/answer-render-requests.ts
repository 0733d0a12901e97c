import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { errorMessage } from '../../core/util/text.ts';
import { ownChecks } from '../../core/write/body.ts';
import { createImageCheck } from './image-check.ts';
import {
  MAX_HTML_UNITS,
  MAX_MEGABYTES,
  MAX_SECONDS,
  MAX_WAIT_SECONDS,
  type RenderReport,
  type RenderRequest,
  type RenderValues,
  type TextRenderer,
} from './renderer-process.ts';

/**
 * Serves the parent process until it ends. Ends this process if a request exceeds the limits on time or memory. `site` is
 * a URL in the project, needed if this module is outside of it.
 */
export async function answerRenderRequests(
  createRenderer: () => Promise<TextRenderer>,
  site?: string,
): Promise<void> {
  process.on('disconnect', () => process.exit());
  preferServer();
  const limits = await watchLimits();
  const renderer = createRenderer();
  // Each request reports the error.
  await renderer.catch(() => undefined);
  const maxIdleBytes = process.memoryUsage.rss() + (MAX_MEGABYTES / 2) * 1e6;
  const idle = setTimeout(() => process.disconnect(), MAX_IDLE_MS);

  let imageProblem: ReturnType<typeof createImageCheck> | undefined;

  async function perform(request: RenderRequest): Promise<RenderValues[RenderRequest['task']]> {
    switch (request.task) {
      case 'render': {
        const { text, frontmatter, fileURL } = request;
        const options = { frontmatter, ...(fileURL !== undefined && { fileURL: new URL(fileURL) }) };
        const { code } = await (await renderer).render(text, options);
        if (code.length > MAX_HTML_UNITS) process.kill(process.pid, 'SIGKILL');
        return { code };
      }
      case 'unsafeParts':
        return ownChecks.unsafeParts(request.html, request.stored);
      case 'imageProblem':
        imageProblem ??= createImageCheck(site);
        return (await imageProblem)(request.bytes);
    }
  }

  async function answer(request: RenderRequest): Promise<void> {
    idle.refresh();
    await send('begun');
    limits.start();
    const result = await resultOf(perform(request));
    limits.stop();
    // Memory that requests do not release accumulates.
    const isLast = process.memoryUsage.rss() > maxIdleBytes;
    await send({ ...result, isLast });
    if (isLast) process.disconnect();
  }

  process.on('message', (request: RenderRequest) => void answer(request));
  await send('ready');
}

const MAX_IDLE_MS = 60_000;

async function resultOf<Value>(performed: Promise<Value>) {
  try {
    return { value: await performed };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

function send(report: RenderReport): Promise<void> {
  return new Promise((resolve) => process.send?.(report, () => resolve()));
}

/** Makes Linux end this process before the server if memory runs out. */
function preferServer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {}
}

/**
 * Watches time and memory in another thread, because native code can block the main one. Options of Node limit the heap,
 * but not native code.
 */
async function watchLimits() {
  const shared = new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT);
  const limits = new Float64Array(shared).fill(Number.POSITIVE_INFINITY);
  const worker = new Worker(WATCH, { eval: true, workerData: shared });
  worker.unref();
  await new Promise((resolve) => worker.once('online', resolve));
  return {
    start() {
      const { user, system } = process.cpuUsage();
      limits[0] = user + system + MAX_SECONDS * 1e6;
      limits[1] = Number(process.hrtime.bigint()) + MAX_WAIT_SECONDS * 1e9;
      limits[2] = process.memoryUsage.rss() + MAX_MEGABYTES * 1e6;
    },
    stop() {
      limits.fill(Number.POSITIVE_INFINITY);
    },
  };
}

const WATCH = `
const limits = new Float64Array(require('node:worker_threads').workerData);
setInterval(() => {
  const { user, system } = process.cpuUsage();
  const isLate = user + system > limits[0] || Number(process.hrtime.bigint()) > limits[1];
  if (isLate || process.memoryUsage.rss() > limits[2]) process.kill(process.pid, 'SIGKILL');
}, 20);
`;
