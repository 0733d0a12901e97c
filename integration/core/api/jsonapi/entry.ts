import { USER_TYPE_NAME } from '../../content/owner.ts';
import { userId } from '../../content/user-id.ts';
import { parseQuery } from '../../engine/parse/parse-query.ts';
import type { ComposedDocument } from '../../read/compose.ts';
import { JSONAPI_MEMBER, type Link } from '../../read/document-types.ts';
import { createRequestPager } from '../../read/links.ts';
import type { DocumentContext } from '../../read/reader.ts';
import type { JsonApiContext } from './context.ts';
import { metaMember } from './document.ts';

/** The response to `GET` of the entry point. */
export async function readEntry(context: JsonApiContext, query: string): Promise<ComposedDocument> {
  const { ignored, includeSent, fields } = parseQuery(query, 'individual', context.services.settings);
  const { self } = createRequestPager(context.addresses.entry(), query);
  // The document contains no resources.
  const ineffective = [
    ...(includeSent ? ['include'] : []),
    ...Object.keys(fields).map((name) => `fields[${name}]`),
  ];
  return entryDocument(context, self, [...ignored, ...ineffective], await meLink(context));
}

/** The entry point: links to all collections by resource type name, and to the signed-in account. */
export function entryDocument(
  context: DocumentContext,
  self: string,
  ignored: readonly string[],
  me?: Link,
): ComposedDocument<readonly []> {
  const links: Record<string, Link> = { self: { href: self } };
  for (const type of context.services.store.types.values())
    links[type.name] = { href: context.links.collection(type) };
  return { jsonapi: JSONAPI_MEMBER, data: [], ...metaMember({ ignored, links: me && { me } }), links };
}

/**
 * Drupal's `meta.links.me` in the entry point, with the account's name as `meta.id`. It links to the `user--user` of that
 * name if the actor may see one, else to the entry point: clients check only whether the link exists. Undefined
 * for anonymous.
 */
async function meLink({ services, access, links, actor }: DocumentContext): Promise<Link | undefined> {
  const id = actor?.name ?? null;
  if (id === null) return undefined;
  const type = services.store.types.get(USER_TYPE_NAME);
  const user = type && (await services.engine.find(type.name, userId(id), access));
  return { href: user && type ? links.individual(type, user.id) : links.entry(), meta: { id } };
}
