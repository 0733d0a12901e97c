import { partOfId } from './format.ts';

/** The sizes of files. Tests make them small. */
export const SIZES = {
  /** Characters of a block, and of a file with bodies. */
  block: 24_000,
  bodies: 20_000,
  /** Postings in one part of the words. */
  words: 3072,
  /** Terms in one part of the vocabulary. */
  vocabulary: 12_288,
  /** Ids in one part of their index. */
  ids: 512,
  /** Recent rows, up to twice as many; fewer if their bodies are long. */
  recent: 96,
};

export type Sizes = typeof SIZES;

/** Adds a file, and returns its digest. */
export type AddFile = (part: string, content: unknown) => string;

/**
 * Divides items into parts of about this size. Ends of parts depend on the next key, so that a new item changes few parts: one
 * of `ends` keys allows an end.
 */
export function divide<T>(
  items: readonly T[],
  size: number,
  sizeOf: (item: T) => number,
  keyOf?: (item: T) => string,
  ends = 16,
): T[][] {
  const parts: T[][] = [];
  let filled = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (filled >= size && (keyOf === undefined || filled >= 2 * size || partOfId(keyOf(item), ends) === 0)) {
      parts.push([]);
      filled = 0;
    }
    parts.at(-1)!.push(item);
    filled += sizeOf(item);
  }
  return parts;
}

/** Joins the last two parts if the last one is small. */
export function joinEnd<T>(
  parts: readonly T[][],
  least: number,
  sizeOf: (item: T) => number,
): readonly T[][] {
  const last = parts.at(-1)?.reduce((sum, item) => sum + sizeOf(item), 0) ?? 0;
  return last < least && parts.length > 1 ? [...parts.slice(0, -2), parts.slice(-2).flat()] : parts;
}
