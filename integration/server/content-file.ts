import type { FileHeaders, Streamed, Written } from '../read/compose.ts';
import type { ContentFile } from '../read/content-files.ts';
import type { Production } from '../read/production.ts';
import { mediaTypeOf } from '../storage/file-source.ts';
import { digestBytes } from '../util/revision.ts';

/** The file to send: whole if it is small, else part by part. */
export function contentFileBody({ key, file }: ContentFile, work: Production): Written | Streamed {
  if ('bytes' in file) {
    return { bytes: new Uint8Array(file.bytes), tag: digestBytes(file.bytes), file: headersOf(key) };
  }
  const { size, tag, parts } = file;
  return { size, tag, chunks: parts, work, file: headersOf(key) };
}

/** Content is written by others: what a browser could run or mistake for a page of the site is kept from that. */
function headersOf(key: string): FileHeaders {
  const type = mediaTypeOf(key);
  return {
    contentType: SCRIPT.test(type)
      ? 'application/octet-stream'
      : type.startsWith('text/')
        ? `${type}; charset=utf-8`
        : type,
    headers: {
      // Browsers' own viewers of PDF do not work in a sandbox.
      ...(type === 'application/pdf' ? {} : { 'content-security-policy': SANDBOX }),
      ...(SHOWN.test(type) ? {} : { 'content-disposition': 'attachment' }),
    },
  };
}

const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
/** Everything else is downloaded. */
const SHOWN = /^(?:(?:image|audio|video)\/|application\/pdf$|text\/(?:plain|csv|markdown|vtt|calendar)$)/;
/** Not even as the script of another page. */
const SCRIPT = /javascript|ecmascript/;
