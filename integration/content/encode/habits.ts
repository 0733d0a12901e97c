import { type Layout, layoutOf } from '../../source/edit/layout.ts';
import { readBytes } from '../../storage/stored-bytes.ts';
import type { JsonValue } from '../../util/json.ts';
import type { ContentFile } from '../content-file.ts';
import { parseFile } from '../parse-file.ts';
import { openFile } from './file-parts.ts';

/** How the files of a bundle are commonly written, for a new one among them. */
export interface Habits {
  /** Keys that at least half of the files have, in their order, each with what one of them holds. */
  readonly keys: ReadonlyMap<string, JsonValue>;
  readonly layout: Layout;
  /** Whether a blank line sets bodies off from the frontmatter. */
  readonly apart: boolean;
}

/** Files that are looked at. */
const MAX_FILES = 20;

/** The habits of those files that have the format of the new one. */
export function habitsOf(files: Iterable<ContentFile>, format: ContentFile['format']): Habits {
  const looked: ContentFile[] = [];
  for (const file of files) {
    if (file.format === format) looked.push(file);
    if (looked.length === MAX_FILES) break;
  }
  const read = looked.map(({ bytes }) => readBytes(bytes));
  const parts = read.flatMap((bytes) => openFile(bytes, format) ?? []);
  const bodies = parts.filter(({ opening, body }) => opening !== '' && body !== null && body !== '');
  const apart = bodies.filter(({ separator }) => separator !== '').length;
  return {
    keys: commonKeys(
      read.flatMap((bytes) => {
        const { parsed } = parseFile(bytes, format, '');
        return parsed === undefined ? [] : [parsed.data];
      }),
    ),
    layout: layoutOf(parts.map(({ opening, data }) => opening + data).join('\n')),
    apart: apart * 2 >= bodies.length,
  };
}

function commonKeys(files: readonly ContentFile['data'][]): ReadonlyMap<string, JsonValue> {
  const counts = new Map<string, number>();
  for (const data of files) {
    for (const [key, value] of Object.entries(data)) {
      if (value !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  // The file that has most of them tells their order.
  const ordered = files.toSorted((a, b) => Object.keys(b).length - Object.keys(a).length);
  const keys = new Map<string, JsonValue>();
  for (const data of ordered) {
    for (const [key, value] of Object.entries(data)) {
      const common = (counts.get(key) ?? 0) * 2 >= files.length;
      if (common && value !== null && !keys.has(key)) keys.set(key, value);
    }
  }
  return keys;
}
