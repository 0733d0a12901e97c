import type { Entity, FieldValue } from '../../content/model.ts';
import type { DocumentContext } from '../../read/reader.ts';
import { referencesOf } from '../../read/serialize.ts';
import { asSeen } from '../../read/sparse-fields.ts';
import { findByPath, sitePath } from './find-path.ts';

export interface MenuLink {
  /** With the site's base where it leads into the site. */
  readonly url: string;
  readonly route: { readonly name: string; readonly parameters: { readonly [name: string]: string } };
}

/** Where an item leads: field `url`, else `link`, a text or a reference; undefined where its target is unseen. */
export async function linkOf(context: DocumentContext, { values }: Entity): Promise<MenuLink | undefined> {
  const written = values.url ?? values.link ?? null;
  const [reference] = referencesOf(written);
  if (reference !== undefined) {
    const { store, engine } = context.services;
    const target = store.get(reference.type, reference.id);
    const seen = target !== undefined && (await engine.visible(reference.type, reference.id, context.access));
    return seen ? linkTo(context, asSeen(target, store, context.access)) : undefined;
  }
  const text = linkText(written);
  if (!isSitePath(text)) return { url: SAFE_URL.test(text) ? text : '', route: NO_ROUTE };
  const { base } = context.services.settings;
  const url = base !== '' && (text === base || text.startsWith(`${base}/`)) ? text : base + text;
  const target = await findByPath(context.services, context.access, text);
  return { url, route: target === undefined ? NO_ROUTE : routeTo(context, target) };
}

/** Whether a link is one that is answered. */
export function isLink(written: FieldValue): boolean {
  if (typeof written !== 'string') return written === null || referencesOf(written).length > 0;
  const text = linkText(written);
  return text === '' || isSitePath(text) || SAFE_URL.test(text);
}

function linkText(written: FieldValue): string {
  return (typeof written === 'string' ? written : '').trim().replace(/^internal:/, '');
}

function linkTo(context: DocumentContext, target: Entity): MenuLink | undefined {
  const { store, settings } = context.services;
  const type = store.types.get(target.type);
  return type && { url: settings.base + sitePath(type, target), route: routeTo(context, target) };
}

function routeTo({ services }: DocumentContext, { type, id }: Entity): MenuLink['route'] {
  const entityType = services.store.types.get(type)?.entityType ?? '';
  return { name: `entity.${entityType}.canonical`, parameters: { [entityType]: id } };
}

/** True if browsers read the text as a path of this site. They drop tabs and line breaks, and `\\` is `/` to them. */
function isSitePath(text: string): boolean {
  return text.startsWith('/') && URL.canParse(text, ANY_SITE) && new URL(text, ANY_SITE).origin === ANY_SITE;
}

const ANY_SITE = 'https://site.invalid';

// Content is written by others, and clients put this into `href`: `javascript:` must not come out.
const SAFE_URL = /^(?:https?:|mailto:|tel:|#|\?)/i;
const NO_ROUTE = { name: '', parameters: {} } as const;
