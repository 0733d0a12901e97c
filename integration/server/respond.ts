import { isStreamed, type Streamed, type Written } from '../read/compose.ts';
import { type Connection, streamAnswer } from './answer-stream.ts';
import { requestedRange } from './byte-range.ts';

/** The content of a response. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** Null for a response without a body. */
  readonly written: Written | Streamed | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of a request that decide which bytes are sent. */
export type AnswerRequest = Pick<Request, 'method' | 'headers'>;

/**
 * Creates a response. A HEAD request gets the same headers without the bytes. Successful reads have an `ETag`, and become a
 * 304 if `If-None-Match` contains it. A part of a file is a 206. Throws if the file does not have that part. Source: RFC
 * 9110, sections 8.8.3, 13.1.2 and 15.3.7.
 */
export function respond(
  request: AnswerRequest,
  { status, contentType, written, headers }: Answer,
  connection?: Connection,
): Response {
  if (written === null) return new Response(null, { status, ...(headers && { headers }) });
  const { tag } = written;
  const isRead = status === 200 && (request.method === 'GET' || request.method === 'HEAD');
  const etag = `"${tag}"`;
  if (isRead && matches(etag, request.headers.get('if-none-match'))) {
    return new Response(null, { status: 304, headers: { ...headers, etag } });
  }
  const { file } = written;
  const length = isStreamed(written) ? written.size : written.bytes.byteLength;
  const isFile = isRead && file !== undefined && length !== undefined;
  const range = isFile ? requestedRange(request, { size: length, etag }) : undefined;
  const body = isStreamed(written)
    ? () => streamAnswer({ ...written, chunks: () => written.chunks(range) }, connection)
    : () => streamOf(written.bytes.subarray(range?.start, range?.end));
  return new Response(request.method === 'HEAD' ? null : body(), {
    status: range === undefined ? status : 206,
    headers: {
      ...headers,
      ...(isRead && { etag }),
      ...file?.headers,
      ...(isFile && { 'accept-ranges': 'bytes' }),
      ...(range && { 'content-range': `bytes ${range.start}-${range.end - 1}/${length}` }),
      'content-type': file?.contentType ?? contentType,
      // The length of a streamed list is unknown.
      ...(length !== undefined && {
        'content-length': String(range === undefined ? length : range.end - range.start),
      }),
      // Editors write content, so a browser must not interpret it as a page.
      'x-content-type-options': 'nosniff',
    },
  });
}

/** A stream passes the bytes on without copying them. Copying would cost more than everything else. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Weak comparison, as RFC 9110 requires for reading. */
function matches(etag: string, header: string | null): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
