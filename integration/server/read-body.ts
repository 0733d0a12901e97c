import { type Limits, optionNote } from '../engine/limits.ts';
import { ApiError } from '../util/errors.ts';

/**
 * A request's body as text, without the mark that may be before it. Throws a 413 as soon as it has more bytes than the
 * limit of this name, or says so itself, and a 400 where it is not UTF-8.
 */
export async function readBody(request: Request, limits: Limits, name: keyof Limits): Promise<string> {
  const bytes = await readBytes(request, limits, name);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError({
      status: 400,
      title: 'Bad Request',
      detail: 'The body is not UTF-8.',
      source: { pointer: '' },
    });
  }
}

/** As `readBody`, as it is. */
export async function readBytes(request: Request, limits: Limits, name: keyof Limits): Promise<Uint8Array> {
  return new Uint8Array(await (await readBlob(request, limits, name)).arrayBuffer());
}

async function readBlob(request: Request, limits: Limits, name: keyof Limits): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  if (Number(request.headers.get('content-length')) > limits[name]) throw tooLarge(limits[name], name);
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limits[name]) throw tooLarge(limits[name], name);
    chunks.push(chunk);
  }
  return new Blob(chunks);
}

function tooLarge(maxBytes: number, name: keyof Limits): ApiError {
  const detail = `A body may have ${maxBytes} bytes here${optionNote(name)}.`;
  return new ApiError({ status: 413, title: 'Content Too Large', detail });
}
