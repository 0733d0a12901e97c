import { type MediaFile, mediaFileOf } from '../model/media.ts';
import { account } from './account.svelte.ts';
import { API } from './config.ts';
import { RequestError, resourceIn } from './content.ts';
import { type Job, objectOf, readJob } from './document.ts';
import { showUnsent } from './file-url.ts';
import { ACCEPT, type ApiResponse, isSuccess, NO_RESPONSE, parseJson } from './request.ts';
import { track } from './running.ts';

interface UploadOptions {
  /** Called with the part that has been sent, from 0 to 1. */
  readonly onprogress?: (progress: number) => void;
  readonly signal?: AbortSignal;
}

/** The URI of an uploaded file. */
export function uploadedUri(file: unknown): string {
  return String(objectOf(objectOf(objectOf(file).attributes).uri).value);
}

/**
 * Uploads a file beside the file of an entity, or of new entities: `node--article/moon` or `node--article`. Throws RequestError,
 * or what `signal` throws.
 */
export function uploadBeside(beside: string, file: File, options: UploadOptions): Promise<MediaFile> {
  const path = `/_files?${new URLSearchParams({ beside })}`;
  return track(
    storeFile(path, file, options).then((document) => {
      const stored = mediaFileOf(resourceIn({ document }));
      showUnsent(stored.uri, file);
      return stored;
    }),
  );
}

/**
 * Replaces the bytes of the stored file at an API path, if it still has the revision. Returns the job that commits the change,
 * if there is one. Throws RequestError.
 */
export async function replaceFile(
  path: string,
  file: File,
  revision: string,
  options: UploadOptions = {},
): Promise<Job | undefined> {
  const headers = { 'If-Match': `"${revision}"` };
  return readJob(await storeFile(path, file, { ...options, method: 'PUT', headers }));
}

/** Returns the document of the response. */
async function storeFile(path: string, file: File, options: SendOptions): Promise<unknown> {
  const response = await sendFile(path, file, options);
  options.signal?.throwIfAborted();
  await account.follow(response);
  if (!isSuccess(response)) throw new RequestError(response);
  return response.document;
}

interface SendOptions extends UploadOptions {
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
}

/** `fetch` does not report the progress of an upload. */
function sendFile(
  path: string,
  file: File,
  { method = 'POST', headers = {}, onprogress, signal }: SendOptions,
): Promise<ApiResponse> {
  const start = performance.now();
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onprogress?.(loaded / total);
    });
    request.addEventListener('loadend', () => {
      const { status, statusText, responseText: text } = request;
      resolve({
        method,
        status: status === 0 ? undefined : status,
        statusText,
        ...(status === 0 && { failure: NO_RESPONSE }),
        headers: headersOf(request),
        size: text.length,
        milliseconds: performance.now() - start,
        document: parseJson(text),
        text,
      });
    });
    signal?.addEventListener('abort', () => request.abort());
    request.open(method, API + path);
    request.setRequestHeader('Accept', ACCEPT);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    const name = encodeURIComponent(file.name);
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
    request.setRequestHeader('Content-Disposition', `file; filename*=UTF-8''${name}`);
    request.send(file);
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/).filter(Boolean);
  return new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
}
