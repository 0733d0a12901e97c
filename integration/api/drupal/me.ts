import type { Link } from '../../read/document-types.ts';
import type { DocumentContext } from '../../read/reader.ts';

/**
 * Who is signed in, as Drupal's entry point tells it: `meta.links.me` with the account's name as `meta.id`. It leads
 * to the resource `user--user` of that id where the actor may see one, else to the entry point itself; clients tell
 * by its presence that they are signed in. Undefined for anonymous.
 */
export async function meLink({ services, access, links, actor }: DocumentContext): Promise<Link | undefined> {
  const id = actor?.name ?? null;
  if (id === null) return undefined;
  const type = services.store.types.get(ACCOUNT_TYPE);
  const account = type !== undefined && (await services.engine.visible(type.name, id, access));
  return { href: account ? links.individual(type, id) : links.entry(), meta: { id } };
}

const ACCOUNT_TYPE = 'user--user';
