import type { Reference } from '../content/model.ts';
import { digestText } from '../util/revision.ts';
import type { Link, Omitted } from './document-types.ts';
import type { DocumentContext } from './reader.ts';

/**
 * `meta.omitted` in Drupal's shape: a help link and an `item--…` link for each left-out resource. It tells
 * nothing that the identifiers in the relationships do not show.
 */
export function omittedMember(context: DocumentContext, omitted: readonly Reference[]): Omitted | undefined {
  if (omitted.length === 0) return undefined;
  const links: Record<string, Link> = { help: { href: HELP } };
  for (const { type: name, id } of omitted) {
    const type = context.services.store.types.get(name);
    const href = type === undefined ? undefined : context.links.omitted(type, id);
    if (href !== undefined)
      links[freeKey(links, `${name}/${id}`)] = { href, meta: { rel: 'item', detail: DETAIL } };
  }
  return { detail: 'Some related resources are left out, because you may not see them.', links };
}

function freeKey(links: Readonly<Record<string, Link>>, text: string): string {
  for (let attempt = 0; ; attempt += 1) {
    const key = `item--${digestText(`${text}#${attempt}`).slice(0, 7)}`;
    if (links[key] === undefined) return key;
  }
}

/** druxt reads this of every link but `help`. */
const DETAIL = 'You may not see this resource.';

const HELP = 'https://www.drupal.org/docs/8/modules/json-api/filtering#filters-access-control';
