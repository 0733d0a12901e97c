import type { Entity, ResourceType } from '../../content/model.ts';
import type { Page } from '../../engine/ast.ts';
import type { PageCursors } from '../../engine/engine.ts';
import { CURSOR_PROFILE, pageParser } from '../../engine/parse/parse-cursor-page.ts';
import type { ComposedDocument, Resources } from '../../read/compose.ts';
import { JSONAPI_MEDIA_TYPE, type Link } from '../../read/document-types.ts';
import type { Pager } from '../../read/links.ts';
import type { DocumentContext, ResourceWriter, Weight, WrittenPart } from '../../read/reader.ts';
import { isRecord } from '../../util/json.ts';
import { mapValue } from '../../util/maybe-promise.ts';
import { collectionDocument, type FinishList, parseList } from './document.ts';

/** The profile that describes filters: docs/drupal-filter-profile.md. */
export const FILTER_PROFILE = 'https://astro-jsonapi.github.io/drupal-filter-profile/';

/**
 * A page of a collection with cursors if the query or the client asks for them. `uris` are those of the profiles that the client
 * asks for; unknown ones are ignored. Throws BadParameterError.
 */
export async function profiledCollection(
  context: DocumentContext,
  type: ResourceType,
  query: string,
  pager: Pager,
  uris: readonly string[],
): Promise<ComposedDocument<Resources>> {
  // With or without the slash at the end, and with the scheme that the profile for cursors names.
  const requested = uris.map((uri) => uri.replace(/^http:/, 'https:').replace(/\/?$/, '/'));
  const readPage = pageParser(requested.includes(CURSOR_PROFILE));
  const parsed = await parseList(context, type, query, readPage);
  const finish = applyProfiles(parsed.page, pager, requested.includes(FILTER_PROFILE));
  return collectionDocument(context, [type], parsed, pager, finish);
}

/**
 * Adds what the applied profiles define to a list, and names them in `jsonapi.profile`, in the media type and in the link to the
 * document. Source: JSON:API 1.1, "Profile Media Type Parameter" and "Top Level".
 */
function applyProfiles(page: Page, pager: Pager, hasFilterProfile: boolean): FinishList {
  return (list, { count, cursors }) => {
    const document = cursors === undefined ? list : withCursors(list, count, cursors, page, pager);
    const profile = [
      ...(cursors === undefined ? [] : [CURSOR_PROFILE]),
      ...(hasFilterProfile ? [FILTER_PROFILE] : []),
    ];
    if (profile.length === 0) return document;
    const { version, ...others } = document.jsonapi;
    const contentType = `${JSONAPI_MEDIA_TYPE};profile="${profile.join(' ')}"`;
    const { self } = document.links;
    return {
      ...document,
      jsonapi: { version, profile, ...others },
      links: { ...document.links, ...(self && { self: { ...self, type: contentType } }) },
      contentType,
    };
  };
}

/** Adds links, sizes, and the cursor of each resource. */
function withCursors(
  document: ComposedDocument<Resources>,
  total: number,
  { items, inRange }: PageCursors,
  page: Page,
  pager: Pager,
): ComposedDocument<Resources> {
  const { after, before } = page.cursors ?? {};
  // The last page by offsets can have other entities than the last one by cursors.
  const { last: _, ...links } = document.links;
  const isTruncated = after !== undefined && before !== undefined && inRange > page.limit;
  return {
    ...document,
    data: withItemCursors(document.data, items),
    meta: { ...document.meta, page: { total, ...(isTruncated && { rangeTruncated: true }) } },
    links: { ...links, ...cursorLinks(page, items, { count: total, inRange }, pager) },
  };
}

/**
 * `first`, and the previous and the next page: null at an end of the list. Whether something is outside of a range between two
 * cursors is not known, so these links may lead to an empty page.
 */
function cursorLinks(
  { limit, offset, cursors: { after, before } = {} }: Page,
  items: readonly string[],
  { count, inRange }: { readonly count: number; readonly inRange: number },
  pager: Pager,
): Record<string, Link | null> {
  const link = (cursors: Page['cursors'] & {}): Link | null => {
    const href = pager.at({ offset, limit, cursors });
    return href === undefined ? null : { href };
  };
  const isOutside = inRange < count;
  const hasPrevious = after === undefined ? before !== undefined && inRange > limit : isOutside;
  const hasNext = before === undefined ? inRange > limit : isOutside || inRange > limit;
  const [first, last] = [items[0], items.at(-1)];
  // Behind an empty page, the list continues at its cursor.
  const previous = first ?? after;
  const next = last ?? after;
  return {
    first: link({}),
    prev: hasPrevious && previous !== undefined ? link({ before: previous }) : null,
    next: hasNext ? link(next === undefined ? {} : { after: next }) : null,
  };
}

function withItemCursors(resources: Resources, items: readonly string[]): Resources {
  const cursorOf = new Map<Entity, string>(resources.entities.map((entity, i) => [entity, items[i]!]));
  const write =
    (verb: Exclude<keyof ResourceWriter, 'prepare' | 'weigh'>) =>
    (entity: Entity): WrittenPart | Promise<WrittenPart> =>
      mapValue(resources[verb](entity), (part: WrittenPart) => withCursor(part, cursorOf.get(entity)!));
  return {
    ...resources,
    write: write('write'),
    writeOnce: write('writeOnce'),
    weigh: (entity) =>
      mapValue(resources.weigh(entity), ({ tag, size }: Weight) => {
        const cursor = cursorOf.get(entity)!;
        return { tag: tag + cursor, size: size + cursor.length };
      }),
  };
}

/** Adds `meta.page.cursor` to a resource. */
function withCursor({ bytes, tag }: WrittenPart, cursor: string): WrittenPart {
  const resource: unknown = JSON.parse(decoder.decode(bytes));
  if (!isRecord(resource)) throw new Error('A resource is not an object.');
  const { meta } = resource;
  const changed = { ...resource, meta: { ...(isRecord(meta) && meta), page: { cursor } } };
  return { bytes: encoder.encode(JSON.stringify(changed)), tag: tag + cursor };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
