import { ApiError } from '../errors.ts';
import { type Limits, optionName } from '../query/limits.ts';

/** A request's body as text. Throws a 413 as soon as it has more bytes than the limit of this name. */
export async function readBody(request: Request, limits: Limits, name: keyof Limits): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limits[name]) throw tooLarge(limits[name], name);
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}

function tooLarge(maxBytes: number, name: keyof Limits): ApiError {
  const detail = `A body may have ${maxBytes} bytes here (${optionName(name)}).`;
  return new ApiError({ status: 413, title: 'Content Too Large', detail });
}
