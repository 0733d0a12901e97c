import type { CST } from 'yaml';
import type { DataPath } from '../diagnostic.ts';
import { type Entry, type Mark, collectionOf } from './source-tree.ts';
import type { Splice } from './splice.ts';

/** One alias, `*name`, as the value of an entry. */
interface AliasPlace {
  readonly name: string;
  readonly entry: Entry;
  readonly flow: boolean;
  readonly path: DataPath;
  readonly start: number;
}

/** A value with a name, `&name`. */
interface AnchorPlace {
  readonly name: string;
  readonly mark: Mark;
  readonly end: number;
}

/** The aliases that would stand for something else after the edits, or for nothing, and the anchors they stand for. */
export function affectedAliases(
  root: CST.Token | undefined,
  splices: readonly Splice[],
): { readonly aliases: readonly AliasPlace[]; readonly anchors: readonly Mark[] } {
  const places: (AliasPlace | AnchorPlace)[] = [];
  collect(root, [], places);
  const anchors = new Map<string, AnchorPlace>();
  const affected: AliasPlace[] = [];
  const written = new Set<Mark>();
  for (const place of places) {
    if (!('entry' in place)) {
      anchors.set(place.name, place);
      continue;
    }
    const anchor = anchors.get(place.name);
    const touched =
      anchor !== undefined && splices.some(({ start, end }) => start < anchor.end && end > anchor.mark.start);
    const goes = splices.some(({ start, end }) => start <= place.start && place.start < end);
    if (anchor !== undefined && touched && !goes) {
      affected.push(place);
      written.add(anchor.mark);
    }
  }
  return { aliases: affected, anchors: [...written] };
}

/** In the order of the text: an alias stands for the last anchor of its name before it. */
function collect(token: CST.Token | undefined, path: DataPath, places: (AliasPlace | AnchorPlace)[]): void {
  const collection = collectionOf(token);
  for (const [index, entry] of collection?.entries.entries() ?? []) {
    const step = entry.key ?? index;
    for (const mark of entry.marks) {
      if (mark.source.startsWith('&')) places.push({ name: mark.source.slice(1), mark, end: entry.end });
    }
    if (entry.value?.type === 'alias') {
      const { source, offset } = entry.value;
      const flow = collection?.flow ?? false;
      places.push({ name: source.slice(1), entry, flow, path: [...path, step], start: offset });
    } else {
      collect(entry.value, [...path, step], places);
    }
  }
}
