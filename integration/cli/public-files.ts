import { createFsDriver } from '../storage/drivers/fs.ts';
import { mediaTypeOf } from '../storage/file-source.ts';

/**
 * Answers requests for the files of a site's `public/`, which lie below its `base`; undefined where there is none. They are
 * the site's own: a browser may run them.
 */
export function createPublicFiles(
  publicDir: string,
  base: string,
): (request: Request) => Promise<Response | undefined> {
  const driver = createFsDriver(publicDir);

  async function read(pathname: string): Promise<{ key: string; bytes: Uint8Array } | undefined> {
    const key = pathname.startsWith(`${base}/`) ? decoded(pathname.slice(base.length + 1)) : undefined;
    const stored = key === undefined || key.endsWith('/') ? undefined : await driver.stat(key);
    const bytes = stored && (await driver.read(stored.key));
    return stored && bytes && { key: stored.key, bytes };
  }

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    // What cannot be looked at is not there.
    const found = await read(new URL(request.url).pathname).catch(() => undefined);
    if (found === undefined) return undefined;
    const type = mediaTypeOf(found.key);
    const isText = type.startsWith('text/') || type === 'application/json';
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(found.bytes), {
      headers: {
        'content-type': isText ? `${type}; charset=utf-8` : type,
        'content-length': String(found.bytes.length),
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      },
    });
  };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
