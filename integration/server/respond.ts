import { type Streamed, type Written, isStreamed } from '../read/compose.ts';
import { type Connection, streamAnswer } from './answer-stream.ts';

/** What is answered. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** Null for an answer without a body. */
  readonly written: Written | Streamed | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request says of the answer that it has already, and whether it wants the bytes. */
export type AnswerRequest = Pick<Request, 'method' | 'headers'>;

/**
 * The answer as a response; a HEAD request gets the same headers without the bytes. What reads successfully has its
 * tag as `ETag` and is a 304 for those who name it in `If-None-Match`. Source: RFC 9110, sections 8.8.3 and 13.1.2.
 */
export function respond(
  request: AnswerRequest,
  { status, contentType, written, headers }: Answer,
  connection?: Connection,
): Response {
  if (written === null) return new Response(null, { status, ...(headers && { headers }) });
  const { tag } = written;
  const read = status === 200 && (request.method === 'GET' || request.method === 'HEAD');
  const etag = `"${tag}"`;
  if (read && isNamed(etag, request.headers.get('if-none-match'))) {
    return new Response(null, { status: 304, headers: { ...headers, etag } });
  }
  const { file } = written;
  const length = isStreamed(written) ? written.size : written.bytes.byteLength;
  const body = isStreamed(written) ? () => streamAnswer(written, connection) : () => streamOf(written.bytes);
  return new Response(request.method === 'HEAD' ? null : body(), {
    status,
    headers: {
      ...headers,
      ...(read && { etag }),
      ...file?.headers,
      'content-type': file?.contentType ?? contentType,
      // How many bytes a list has shows only at its end.
      ...(length !== undefined && { 'content-length': String(length) }),
      // Content is written by others: a browser must not guess that it is a page.
      'x-content-type-options': 'nosniff',
    },
  });
}

/** A stream hands the bytes on as they are; from a plain body they would be copied, which costs more than the rest. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** Weak comparison, as reading asks for. */
function isNamed(etag: string, header: string | null): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((named) => named.trim().replace(/^W\//, '') === etag);
}
