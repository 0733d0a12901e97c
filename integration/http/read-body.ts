import { ApiError } from '../errors.ts';

/** A request's body as text. Throws a 413 as soon as it has more bytes than allowed. */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}

function tooLarge(maxBytes: number): ApiError {
  const detail = `A body may have ${maxBytes} bytes here.`;
  return new ApiError({ status: 413, title: 'Content Too Large', detail });
}
