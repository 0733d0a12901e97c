import type { FileHeaders, SerializedBody, Streamed } from '../read/compose.ts';
import type { ContentFile } from '../read/content-files.ts';
import type { ResponseWork } from '../read/response-limiter.ts';
import { mediaTypeOf } from '../storage/file-source.ts';
import { digestBytes } from '../util/revision.ts';

/** The response body for a file: whole if it is small, else in parts. */
export function contentFileBody({ key, file }: ContentFile, work: ResponseWork): SerializedBody | Streamed {
  if ('bytes' in file) {
    return { bytes: new Uint8Array(file.bytes), tag: digestBytes(file.bytes), file: headersOf(key) };
  }
  const { size, tag, parts } = file;
  return { size, tag, chunks: parts, work, file: headersOf(key) };
}

/** Editors upload files, so browsers must not run them or treat them as pages of the site. */
function headersOf(key: string): FileHeaders {
  const type = mediaTypeOf(key);
  return {
    contentType: SCRIPT.test(type)
      ? 'application/octet-stream'
      : type.startsWith('text/')
        ? `${type}; charset=utf-8`
        : type,
    headers: {
      // The PDF viewers of browsers do not work in a sandbox.
      ...(type === 'application/pdf' ? {} : { 'content-security-policy': SANDBOX }),
      ...(INLINE.test(type) ? {} : { 'content-disposition': 'attachment' }),
    },
  };
}

const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
/** Browsers download all other types. */
const INLINE = /^(?:(?:image|audio|video)\/|application\/pdf$|text\/(?:plain|csv|markdown|vtt|calendar)$)/;
/** Sent as `application/octet-stream`, so that no page can load it as a script. */
const SCRIPT = /javascript|ecmascript/;
