import { type Limits, optionNote } from '../engine/limits.ts';
import { ClientGoneError } from '../engine/time-slices.ts';
import { DomainError } from '../util/errors.ts';

/** A request's body as text, without a byte order mark. Throws like `readBytes`, and if the body is not UTF-8. */
export async function readBody(request: Request, limits: Limits, name: keyof Limits): Promise<string> {
  const bytes = await readBytes(request, limits[name], optionNote(name));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DomainError('bad-request', 'The body is not UTF-8.', { source: { pointer: '' } });
  }
}

/**
 * A request's body. Throws `too-large` as soon as it has more bytes than allowed, or if its `Content-Length` says so, and
 * ClientGoneError if the client aborts it. `note` ends the message and names the option of the limit.
 */
export async function readBytes(request: Request, maxBytes: number, note = ''): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes, note);
  for await (const chunk of bodyOf(request)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes, note);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  // A body that was read before is the server's mistake, and throws as such.
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new ClientGoneError();
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function tooLarge(maxBytes: number, note: string): DomainError {
  return new DomainError('too-large', `The body may have at most ${maxBytes} bytes${note}.`);
}
