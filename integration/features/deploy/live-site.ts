import { z } from 'zod';
import { parseAs } from '../../core/util/json.ts';

/** The file about a build, in the published site. */
export interface LiveBuild {
  /** The full hash of the commit, in lower case. */
  readonly commit: string;
  /** When the build began, in ISO 8601. */
  readonly time: string;
}

/** `none`: the site has no such file. `unreachable`: it did not answer, or with something else. */
export type LiveAnswer = LiveBuild | 'none' | 'unreachable';

export interface LiveSite {
  readonly origin: string;
  /** The build that visitors see. Answers are used again for a moment. */
  build(): Promise<LiveAnswer>;
  /** If a page of the site exists; undefined if the site does not say. `path` is percent-encoded. */
  hasPage(path: string): Promise<boolean | undefined>;
}

export const buildSchema = z.object({
  commit: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  time: z.iso.datetime(),
});

const TIMEOUT_MS = 5000;
const MAX_BYTES = 10_000;
const MAX_REDIRECTS = 3;
/** Milliseconds for which an answer is used again. */
const FRESH_MS = 2000;

/** `file` is the path of the file about the build. Requests go to this origin and its host only. */
export function createLiveSite(
  origin: string,
  file: string,
  now = performance.now.bind(performance),
): LiveSite {
  let last: { readonly at: number; readonly answer: Promise<LiveAnswer> } | undefined;
  return {
    origin,
    build() {
      if (last === undefined || now() - last.at > FRESH_MS)
        last = { at: now(), answer: readBuild(origin + file) };
      return last.answer;
    },
    async hasPage(path) {
      const response = await send(origin + path, 'HEAD');
      await response?.body?.cancel();
      if (response === undefined || response.status >= 500) return undefined;
      return response.status < 400 ? true : [404, 410].includes(response.status) ? false : undefined;
    },
  };
}

async function readBuild(url: string): Promise<LiveAnswer> {
  const response = await send(url, 'GET');
  if (response === undefined) return 'unreachable';
  if (!response.ok) {
    await response.body?.cancel();
    return response.status === 404 || response.status === 410 ? 'none' : 'unreachable';
  }
  const text = await readStart(response).catch(() => undefined);
  // Some hosts answer every address with a page.
  return text === undefined ? 'unreachable' : (parseAs(buildSchema, text) ?? 'none');
}

/** Follows redirects to the same host. Undefined after a redirect to another host, and without a response in time. */
async function send(url: string, method: 'GET' | 'HEAD'): Promise<Response | undefined> {
  const { host, protocol } = new URL(url);
  let address = url;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for (let step = 0; step <= MAX_REDIRECTS; step++) {
    const init = { method, redirect: 'manual', signal, headers: { 'cache-control': 'no-cache' } } as const;
    const response = await fetch(address, init).catch(() => undefined);
    const location = response?.headers.get('location');
    if (response === undefined || response.status < 300 || response.status >= 400 || !location)
      return response;
    await response.body?.cancel();
    if (!URL.canParse(location, address)) return undefined;
    const next = new URL(location, address);
    if (next.host !== host || ![protocol, 'https:'].includes(next.protocol)) return undefined;
    address = next.href;
  }
  return undefined;
}

/** The text of a response. Rejects if it is longer than MAX_BYTES. */
async function readStart({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error('The response is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
