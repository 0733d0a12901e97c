import { NotLoadedError, ServiceUnavailableError } from './errors.ts';

/**
 * Imports code that few requests need. Throws ServiceUnavailableError if a browser cannot load its file, which another
 * deployment may have replaced.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new ServiceUnavailableError(INCOMPLETE, 1, cause);
  }
}

export const INCOMPLETE = 'A part of the query engine cannot be loaded. Reload the page.';

/** Returns code that is in memory. Before, throws NotLoadedError, which loads it. */
export function lazyCode<T>(load: () => Promise<T>): () => T {
  let code: T | undefined;
  return () => {
    if (code !== undefined) return code;
    throw new NotLoadedError([], async () => {
      code = await loadCode(load);
    });
  };
}
