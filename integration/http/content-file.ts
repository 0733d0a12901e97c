import type { Written } from '../jsonapi/compose.ts';
import type { ContentFileBytes } from '../jsonapi/content-files.ts';
import { mediaTypeOf } from '../storage/file-source.ts';
import { digestBytes } from '../storage/revision.ts';

/** Content is written by others: what a browser could run or mistake for a page of the site is kept from that. */
export function contentFileBody({ key, bytes }: ContentFileBytes): Written {
  const type = mediaTypeOf(key);
  return {
    bytes: new Uint8Array(bytes),
    tag: digestBytes(bytes),
    file: {
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
    },
  };
}

const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
/** Everything else is downloaded. */
const SHOWN = /^(?:(?:image|audio|video)\/|application\/pdf$|text\/(?:plain|csv|markdown|vtt|calendar)$)/;
/** Not even as the script of another page. */
const SCRIPT = /javascript|ecmascript/;
