import { fileURLToPath } from 'node:url';

/** Frames looked at; libraries between a query and its page take some. */
const FRAMES = 100;

/**
 * The module whose code is asking while Vite loads it, or whose `getStaticPaths` is (an absolute path); undefined for
 * code that runs for a request. To be called while the call is on the stack.
 */
export function importedBy(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = limit;
  return sharedModule(stack);
}

/** The same for the text of a stack. */
export function sharedModule(stack: string): string | undefined {
  const frames = stack.split('\n');
  const end = frames.findIndex((frame) => LOADERS.test(frame));
  // Outermost last: the module itself, below whatever helpers it calls.
  for (const frame of frames.slice(0, Math.max(0, end)).reverse()) {
    const file = fileOf(frame);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Vite's evaluation of a module; Astro's call of `getStaticPaths`. */
const LOADERS = /\b(?:runInlinedModule|callGetStaticPaths)\b/;

function fileOf(frame: string): string | undefined {
  const end = frame.search(/:\d+:\d+\)?$/);
  const place = frame.slice(frame.lastIndexOf('(', end) + 1, Math.max(end, 0));
  const start = place.search(/(?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])/);
  if (start === -1) return undefined;
  const [written = ''] = place.slice(start).split('?', 1);
  const file = written.startsWith('file://') ? fileURLToPath(written) : written;
  return /[\\/]node_modules[\\/]/.test(file) ? undefined : file;
}
