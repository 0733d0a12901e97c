import type { Link } from '../../read/document-types.ts';
import type { DocumentContext } from '../../read/reader.ts';

/**
 * Drupal's `meta.links.me` in the entry point, with the account's name as `meta.id`. It links to the resource `user--user`
 * with that id if the actor may see one, else to the entry point: clients check only whether the link exists. Undefined
 * for anonymous.
 */
export async function meLink({ services, access, links, actor }: DocumentContext): Promise<Link | undefined> {
  const id = actor?.name ?? null;
  if (id === null) return undefined;
  const type = services.store.types.get(ACCOUNT_TYPE);
  const account = type !== undefined && (await services.engine.visible(type.name, id, access));
  return { href: account ? links.individual(type, id) : links.entry(), meta: { id } };
}

const ACCOUNT_TYPE = 'user--user';
