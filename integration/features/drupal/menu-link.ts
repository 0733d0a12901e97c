import type { Entity, FieldValue } from '../../core/content/model.ts';
import { findByPath } from '../../core/read/find-path.ts';
import { pageBase } from '../../core/read/language-paths.ts';
import type { DocumentContext } from '../../core/read/reader.ts';
import { referencesOf } from '../../core/read/serialize.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { visibleEntity } from '../../core/read/sparse-fields.ts';

export interface MenuLink {
  /** Includes the site's base for links within the site. */
  readonly url: string;
  readonly route: { readonly name: string; readonly parameters: { readonly [name: string]: string } };
}

/** The link of an item: a string or a reference in field `url`, or else `link`. Undefined if the actor may not see its target. */
export async function linkOf(context: DocumentContext, { values }: Entity): Promise<MenuLink | undefined> {
  const value = values.url ?? values.link ?? null;
  const [reference] = referencesOf(value);
  if (reference !== undefined) {
    const { store, engine } = context.services;
    const target = await engine.find(reference.type, reference.id, context.access);
    return target && linkTo(context, visibleEntity(target, store, context.access));
  }
  const text = linkText(value);
  if (!isSitePath(text)) return { url: SAFE_URL.test(text) ? text : '', route: NO_ROUTE };
  const base = pageBase(context.services.settings, context.access);
  const url = base !== '' && (text === base || text.startsWith(`${base}/`)) ? text : base + text;
  const target = await findByPath(context.services, context.access, text);
  return { url, route: target === undefined ? NO_ROUTE : routeTo(context, target) };
}

/** True if a value can be a link. */
export function isLink(value: FieldValue): boolean {
  if (typeof value !== 'string') return value === null || referencesOf(value).length > 0;
  const text = linkText(value);
  return text === '' || isSitePath(text) || SAFE_URL.test(text);
}

function linkText(value: FieldValue): string {
  return (typeof value === 'string' ? value : '').trim().replace(/^internal:/, '');
}

function linkTo(context: DocumentContext, target: Entity): MenuLink | undefined {
  const { store, settings } = context.services;
  const type = store.types.get(target.type);
  const base = pageBase(settings, context.access);
  return type && { url: base + sitePath(type, target), route: routeTo(context, target) };
}

function routeTo({ services }: DocumentContext, { type, id }: Entity): MenuLink['route'] {
  const entityType = services.store.types.get(type)?.entityType ?? '';
  return { name: `entity.${entityType}.canonical`, parameters: { [entityType]: id } };
}

/** True if browsers read the text as a path of this site. They drop tabs and line breaks, and read `\\` as `/`. */
function isSitePath(text: string): boolean {
  return text.startsWith('/') && URL.canParse(text, ANY_SITE) && new URL(text, ANY_SITE).origin === ANY_SITE;
}

const ANY_SITE = 'https://site.invalid';

// Clients put this into `href`, so editors must not be able to use `javascript:`.
const SAFE_URL = /^(?:https?:|mailto:|tel:|#|\?)/i;
const NO_ROUTE = { name: '', parameters: {} } as const;
