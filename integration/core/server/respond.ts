import { isStreamed, type SerializedBody, type Streamed } from '../read/compose.ts';
import { type Connection, streamAnswer } from './answer-stream.ts';
import { requestedRange } from './byte-range.ts';
import { type AnswerRequest, conditionalResponse, streamOf, type WholeAnswer } from './respond-whole.ts';

/** The content of a response. */
export interface Answer extends Omit<WholeAnswer, 'written'> {
  /** Null for a response without a body. */
  readonly written: SerializedBody | Streamed | null;
}

/**
 * Like `respondWhole`, for all answers. A part of a file is a 206. Throws if the file does not have that part. Source: RFC
 * 9110, section 15.3.7.
 */
export function respond(
  request: AnswerRequest,
  { status, contentType, written, headers }: Answer,
  connection?: Connection,
): Response {
  if (written === null) return new Response(null, { status, ...(headers && { headers }) });
  const { file } = written;
  return conditionalResponse(request, status, written.tag, headers, (etag, isRead) => {
    const length = isStreamed(written) ? written.size : written.bytes.byteLength;
    const isFile = isRead && file !== undefined && length !== undefined;
    const range = isFile ? requestedRange(request, { size: length, etag }) : undefined;
    return {
      status: range === undefined ? status : 206,
      headers: {
        ...file?.headers,
        ...(isFile && { 'accept-ranges': 'bytes' }),
        ...(range && { 'content-range': `bytes ${range.start}-${range.end - 1}/${length}` }),
        'content-type': file?.contentType ?? contentType,
        // The length of a streamed list is unknown.
        ...(length !== undefined && {
          'content-length': String(range === undefined ? length : range.end - range.start),
        }),
      },
      body: isStreamed(written)
        ? () => streamAnswer({ ...written, chunks: () => written.chunks(range) }, connection)
        : () => streamOf(written.bytes.subarray(range?.start, range?.end)),
    };
  });
}
