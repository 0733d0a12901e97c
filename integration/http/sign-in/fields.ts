import { z } from 'zod';
import { ApiError } from '../../errors.ts';

/** The fields of a form, or of a JSON object, by name; those that are no texts are left out. */
export type SentFields = ReadonlyMap<string, string>;

/**
 * Reads what was sent as JSON, whatever it says it is, or as the form of a page. Throws a 400, 413 or 415 where it
 * is neither; nothing at all is no fields.
 */
export async function readFields(request: Request, form: 'json' | 'html'): Promise<SentFields> {
  const body = await readText(request, MAX_BYTES);
  if (body === '') return new Map();
  if (form === 'json') return readObject(body);
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return new Map(new URLSearchParams(body));
  throw new ApiError({
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'Send a form as application/x-www-form-urlencoded, or JSON to ?_format=json.',
    source: { header: 'Content-Type' },
  });
}

/** Throws a 413 as soon as there is more than that many bytes. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      const detail = `A body may have ${maxBytes} bytes here.`;
      throw new ApiError({ status: 413, title: 'Content Too Large', detail });
    }
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}

/** Names, passwords and addresses to go to are short. */
export const MAX_BYTES = 16_384;

function readObject(body: string): SentFields {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (cause) {
    throw badRequest('The body is not JSON.', cause);
  }
  const { data } = z.record(z.string(), z.unknown()).safeParse(json);
  if (data === undefined) throw badRequest('The body is no JSON object: { "name": "…", "pass": "…" }.');
  return new Map(
    Object.entries(data).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function badRequest(detail: string, cause?: unknown): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail, cause });
}
