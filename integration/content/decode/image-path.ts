/** The relative path of an image in a body. */
export interface ImagePath {
  /** Without percent-encoding, as the file is named. */
  readonly path: string;
  /** `?…` and `#…` as written. */
  readonly suffix: string;
}

/** Undefined for absolute paths, other sites and data URLs. */
export function relativeImagePath(src: string): ImagePath | undefined {
  const trimmed = src.trim();
  if (NOT_RELATIVE.test(trimmed)) return undefined;
  const end = trimmed.search(/[?#]/);
  const path = end === -1 ? trimmed : trimmed.slice(0, end);
  return { path: decoded(path), suffix: trimmed.slice(path.length) };
}

const NOT_RELATIVE = /^(?:$|[/\\?#]|[a-z][a-z\d+.-]*:)/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
