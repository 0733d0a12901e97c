import { locationsOf } from '../../core/content/file-location.ts';
import { bodyText, type Entity } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import type { StorageDriver } from '../../core/storage/driver.ts';
import { lastSegment } from '../../core/storage/key.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { decodeUri } from '../../core/util/text.ts';

/**
 * The entities whose text has the path of a file, such as a link in a body, as `<type> <id>`. Such paths are not references,
 * and the pages of the site can resolve them in their own way. So each path with the name of the file counts, unless it
 * leads to another file.
 */
export async function findMentions(
  store: EntityStore,
  driver: Pick<StorageDriver, 'stat'>,
  key: string,
): Promise<readonly string[]> {
  const name = lastSegment(key);
  const spellings = [...new Set([name, encodeURI(name), encodeURIComponent(name)])];
  const mentions = new Set<string>();
  let count = 0;
  for (const type of store.types.keys()) {
    for (const entity of store.entities(type)) {
      count += 1;
      if (count % ENTITIES_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
      for (const path of pathsIn(entity, spellings)) {
        if (await leadsElsewhere(path, entity.key, key, driver)) continue;
        mentions.add(`${type} ${entity.id}`);
        break;
      }
    }
  }
  return [...mentions];
}

/** Entities that are searched before the event loop continues. */
const ENTITIES_AT_ONCE = 200;

async function leadsElsewhere(
  path: string,
  from: string,
  key: string,
  driver: Pick<StorageDriver, 'stat'>,
): Promise<boolean> {
  const [place] = locationsOf(from, path);
  if (place?.source !== 'content' || place.key === key) return false;
  return (await driver.stat(place.key)) !== undefined;
}

/** The paths in the texts of an entity that end with one of the names. */
function* pathsIn(entity: Entity, names: readonly string[]): Generator<string, void, undefined> {
  for (const text of textsOf(entity)) {
    for (const name of names) {
      for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
        const end = at + name.length;
        let start = at;
        while (start > 0 && at - start < MAX_PATH && !DELIMITER.test(text.charAt(start - 1))) start -= 1;
        // `sea.png` is not `a.png`.
        if (start === at || text.charAt(at - 1) === '/') yield decodeUri(text.slice(start, end));
      }
    }
  }
}

/** Characters. */
const MAX_PATH = 1000;
/** Ends a path in Markdown, HTML and code. */
const DELIMITER = /[\s"'`()<>[\]{}|,;=]/;

function* textsOf({ body, values }: Entity): Generator<string, void, undefined> {
  if (body !== null) yield bodyText(body);
  for (const value of Object.values(values)) yield* stringsIn(value);
}

function* stringsIn(value: JsonValue): Generator<string, void, undefined> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) yield* stringsIn(each);
  }
}
