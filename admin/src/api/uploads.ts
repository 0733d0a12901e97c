import { type MediaFile, mediaFileOf, pathOfFile } from '../model/media.ts';
import { account } from './account.svelte.ts';
import { API } from './config.ts';
import { RequestError, request, resourceIn, sendDocument } from './content.ts';
import { type Job, objectOf, readJob } from './document.ts';
import { showUnsent } from './file-url.ts';
import { ACCEPT, type ApiResponse, isSuccess, NO_RESPONSE, parseJson } from './request.ts';
import { track } from './running.ts';
import { smallerPicture } from './smaller-picture.ts';

interface UploadOptions {
  /** Called with the part that has been sent, from 0 to 1. */
  readonly onprogress?: (progress: number) => void;
  readonly signal?: AbortSignal;
  /** True for a picture that stays as it is. */
  readonly isOriginal?: boolean;
}

/** The URI of an uploaded file. */
export function uploadedUri(file: unknown): string {
  return String(objectOf(objectOf(objectOf(file).attributes).uri).value);
}

/** A stored file. `originalSize` is the size of the chosen picture in bytes, if it was made smaller. */
export type Uploaded = MediaFile & { readonly originalSize?: number };

/**
 * Uploads a file beside the file of an entity, or of new entities: `node--article/moon` or `node--article`. A large picture is made
 * smaller before, unless `isOriginal` is true. Throws RequestError, or what `signal` throws.
 */
export function uploadBeside(beside: string, chosen: File, options: UploadOptions): Promise<Uploaded> {
  const path = `/_files?${new URLSearchParams({ beside })}`;
  return track(
    (async () => {
      const file = options.isOriginal ? chosen : await smallerPicture(chosen);
      options.signal?.throwIfAborted();
      const document = await storeFile(path, file, options);
      const stored = mediaFileOf(resourceIn({ document }));
      showUnsent(stored.uri, file);
      return file === chosen ? stored : { ...stored, originalSize: chosen.size };
    })(),
  );
}

/** Uploads the original in place of a picture that was made smaller, which is removed if the account may do so. */
export async function uploadOriginal(
  beside: string,
  original: File,
  smaller: MediaFile,
  options: UploadOptions = {},
): Promise<MediaFile> {
  const stored = await uploadBeside(beside, original, { ...options, isOriginal: true });
  // Others find it in the library, among the files that nothing uses.
  if (account.changesAllContent) await request(pathOfFile(smaller.uri), { method: 'DELETE' });
  return stored;
}

/**
 * Replaces the bytes of the stored file at an API path, if it still has the revision. A large picture is made smaller before, unless
 * `isOriginal` is true. Returns the job that commits the change, if there is one, and the sent file. Throws RequestError.
 */
export async function replaceFile(
  path: string,
  chosen: File,
  revision: string,
  options: UploadOptions = {},
): Promise<{ readonly job: Job | undefined; readonly sent: File }> {
  const sent = options.isOriginal ? chosen : await smallerPicture(chosen, { keepsType: true });
  const headers = { 'If-Match': `"${revision}"` };
  return { job: readJob(await storeFile(path, sent, { ...options, method: 'PUT', headers })), sent };
}

/** Moves or renames a file, or all files of a folder, with every path of them in the content. Throws RequestError. */
export async function moveFile(
  type: 'file--file' | 'file--folder',
  uri: string,
  to: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Job | undefined> {
  const data = { type, id: uri, attributes: { uri: { value: to } } };
  const { document } = await sendDocument('PATCH', pathOfFile(uri), { data }, headers);
  return readJob(document);
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
    const sending = new XMLHttpRequest();
    sending.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onprogress?.(loaded / total);
    });
    sending.addEventListener('loadend', () => {
      const { status, statusText, responseText: text } = sending;
      resolve({
        method,
        status: status === 0 ? undefined : status,
        statusText,
        ...(status === 0 && { failure: NO_RESPONSE }),
        headers: headersOf(sending),
        size: text.length,
        milliseconds: performance.now() - start,
        document: parseJson(text),
        text,
      });
    });
    signal?.addEventListener('abort', () => sending.abort());
    sending.open(method, API + path);
    sending.setRequestHeader('Accept', ACCEPT);
    sending.setRequestHeader('Content-Type', 'application/octet-stream');
    const name = encodeURIComponent(file.name);
    for (const [header, value] of Object.entries(headers)) sending.setRequestHeader(header, value);
    sending.setRequestHeader('Content-Disposition', `file; filename*=UTF-8''${name}`);
    sending.send(file);
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
