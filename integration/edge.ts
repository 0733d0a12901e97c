import { READING_FEATURES } from './features/reading.ts';
import type { ReadFile } from './features/static/files.ts';
import { createSnapshotHandler } from './features/static/handler.ts';
import { openSnapshot } from './features/static/open.ts';

export interface HandlerOptions {
  /**
   * Returns the bytes of a file in the folder `jsonapi/snapshot` of the built site, such as `manifest.json`; undefined if it
   * does not exist. An error of this function is a 503.
   */
  read(name: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Returns undefined for requests outside the API. */
export type Handler = (request: Request) => Promise<Response | undefined>;

/**
 * Answers requests to the API of a static site from the files of its build, as a server would answer anonymous visitors. It
 * needs no file system, so it also runs at the edge. Create one handler and keep it: the files that it has read stay in
 * memory, up to 64 MB.
 *
 * ```js
 * const handle = createHandler({ read: (name) => readAsset(`jsonapi/snapshot/${name}`) });
 * export default { fetch: async (request) => (await handle(request)) ?? new Response(null, { status: 404 }) };
 * ```
 */
export function createHandler({ read }: HandlerOptions): Handler {
  const readFile: ReadFile = async (name) => read(name);
  return createSnapshotHandler(openSnapshot(readFile), READING_FEATURES);
}
