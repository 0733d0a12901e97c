import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import {
  MAX_HTML_UNITS,
  MAX_MEGABYTES,
  MAX_SECONDS,
  type RenderReport,
  type RenderRequest,
  type TextRenderer,
} from './renderer-process.ts';

/**
 * Renders for the process that forked this one, until that one ends. Ends this process if a text takes more time or memory
 * than it may.
 */
export async function answerRenderRequests(createRenderer: () => Promise<TextRenderer>): Promise<void> {
  process.on('disconnect', () => process.exit());
  giveWayToServer();
  const limits = await watchLimits();
  const renderer = createRenderer();
  // Each request reports the error.
  await renderer.catch(() => undefined);
  const maxIdleBytes = process.memoryUsage.rss() + (MAX_MEGABYTES / 2) * 1e6;
  const idle = setTimeout(() => process.disconnect(), MAX_IDLE_MS);

  async function answer({ text, frontmatter, fileURL }: RenderRequest): Promise<void> {
    idle.refresh();
    await send('begun');
    limits.start();
    const result = await resultOf(async () => {
      const options = { frontmatter, ...(fileURL !== undefined && { fileURL: new URL(fileURL) }) };
      return (await renderer).render(text, options);
    });
    limits.stop();
    if ('code' in result && result.code.length > MAX_HTML_UNITS) process.kill(process.pid, 'SIGKILL');
    // Memory that texts leave behind adds up.
    const isLast = process.memoryUsage.rss() > maxIdleBytes;
    await send({ ...result, isLast });
    if (isLast) process.disconnect();
  }

  process.on('message', (request: RenderRequest) => void answer(request));
  await send('ready');
}

const MAX_IDLE_MS = 60_000;

async function resultOf(render: () => Promise<{ readonly code: string }>) {
  try {
    return { code: (await render()).code };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function send(report: RenderReport): Promise<void> {
  return new Promise((resolve) => process.send?.(report, () => resolve()));
}

/** If memory runs out, Linux ends this process before the server. */
function giveWayToServer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {}
}

/**
 * Watches time and memory in a thread of its own, since native code may occupy the main one. Options of Node that limit
 * the heap do not limit native code.
 */
async function watchLimits() {
  const shared = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
  const limits = new Float64Array(shared).fill(Number.POSITIVE_INFINITY);
  const worker = new Worker(WATCH, { eval: true, workerData: shared });
  worker.unref();
  await new Promise((resolve) => worker.once('online', resolve));
  return {
    start() {
      limits[0] = Number(process.hrtime.bigint()) + MAX_SECONDS * 1e9;
      limits[1] = process.memoryUsage.rss() + MAX_MEGABYTES * 1e6;
    },
    stop() {
      limits.fill(Number.POSITIVE_INFINITY);
    },
  };
}

const WATCH = `
const limits = new Float64Array(require('node:worker_threads').workerData);
setInterval(() => {
  const isOver = Number(process.hrtime.bigint()) > limits[0] || process.memoryUsage.rss() > limits[1];
  if (isOver) process.kill(process.pid, 'SIGKILL');
}, 20);
`;
