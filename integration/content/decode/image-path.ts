/** An image's address in a body, where it is a path relative to the body's file. */
export interface ImagePath {
  /** With its escapes resolved: as the file is called. */
  readonly path: string;
  /** `?…` and `#…` as written. */
  readonly suffix: string;
}

/** Undefined for what leads elsewhere: another site, the root of this one, data. */
export function relativeImagePath(src: string): ImagePath | undefined {
  const written = src.trim();
  if (ELSEWHERE.test(written)) return undefined;
  const end = written.search(/[?#]/);
  const path = end === -1 ? written : written.slice(0, end);
  return { path: unescaped(path), suffix: written.slice(path.length) };
}

const ELSEWHERE = /^(?:$|[/\\?#]|[a-z][a-z\d+.-]*:)/i;

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
