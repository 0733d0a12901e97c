import type { SerializedBody } from '../read/compose.ts';

/** The parts of a request that decide which bytes are sent. */
export type AnswerRequest = Pick<Request, 'method' | 'headers'>;

/** The content of a response that is in memory, and is not a file. */
export interface WholeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly written: SerializedBody;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a response. A HEAD request gets the same headers without the bytes. Successful reads have an `ETag`, and become a
 * 304 if `If-None-Match` contains it. Source: RFC 9110, sections 8.8.3 and 13.1.2.
 */
export function respondWhole(
  request: AnswerRequest,
  { status, contentType, written, headers }: WholeAnswer,
): Response {
  const { bytes } = written;
  return conditionalResponse(request, status, written.tag, headers, () => ({
    status,
    headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength) },
    body: () => streamOf(bytes),
  }));
}

/** The response, unless the client has it already. */
interface Content {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Not called for a HEAD request. */
  body(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** `content` is called unless the response is a 304. */
export function conditionalResponse(
  request: AnswerRequest,
  status: number,
  tag: string,
  headers: Readonly<Record<string, string>> | undefined,
  content: (etag: string, isRead: boolean) => Content,
): Response {
  const isHead = request.method === 'HEAD';
  const isRead = status === 200 && (request.method === 'GET' || isHead);
  const etag = `"${tag}"`;
  if (isRead && matches(etag, request.headers.get('if-none-match'))) {
    return new Response(null, { status: 304, headers: { ...headers, etag } });
  }
  const { body, ...init } = content(etag, isRead);
  return new Response(isHead ? null : body(), {
    status: init.status,
    headers: {
      ...headers,
      ...(isRead && { etag }),
      ...init.headers,
      // Editors write content, so a browser must not interpret it as a page.
      'x-content-type-options': 'nosniff',
    },
  });
}

/** A stream passes the bytes on without copying them. Copying would cost more than everything else. */
export function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
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
