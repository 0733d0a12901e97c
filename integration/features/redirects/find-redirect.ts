import { addressOf } from '../../core/content/decode/alias.ts';
import type { Reference } from '../../core/content/model.ts';
import { findPage } from '../../core/read/find-path.ts';
import { splitLanguage, translatedBase } from '../../core/read/language-paths.ts';
import type { FindRedirect, PathContext } from '../../core/read/reader.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { visibleEntity } from '../../core/read/sparse-fields.ts';
import { decodeUri } from '../../core/util/text.ts';
import { createRedirectReader, pathOf, type Redirect } from './redirect-file.ts';

/** Follows redirects as a visitor may: an entry that the visitor cannot see is as if it did not exist. */
export function createFindRedirect(): FindRedirect {
  const read = createRedirectReader();
  return async (context, path) => {
    const { redirects } = await read(context.services.files);
    if (redirects.size === 0) return undefined;
    const query = /\?([^#]*)/.exec(path)?.[1] ?? '';
    for (const from of addressesOf(context, path)) {
      const to = redirects.has(from) ? await follow(context, redirects, from) : undefined;
      if (to !== undefined) return withQuery(to, query);
    }
    return undefined;
  };
}

/** Redirects that lead on to another one. */
export const MAX_STEPS = 20;

async function follow(
  context: PathContext,
  redirects: ReadonlyMap<string, Redirect>,
  first: string,
): Promise<string | undefined> {
  const passed = new Set<string>();
  for (let from = first; !passed.has(from) && passed.size < MAX_STEPS; ) {
    passed.add(from);
    const target = redirects.get(from)?.target;
    if (target === undefined) return undefined;
    if (target.kind === 'url') return target.url;
    const { settings } = context.services;
    const { base, siteBase = base } = settings;
    if (target.kind === 'entity') {
      const { langcode } = splitLanguage({ ...settings, base: siteBase }, from);
      const path = await pathOfEntity(context, target, langcode);
      if (path === undefined) return undefined;
      const own = translatedBase({ ...settings, base: '', siteBase: '' }, langcode) + path;
      // The entry has been moved back by hand.
      return passed.has(addressOf(decodeUri(own))) ? undefined : siteBase + own;
    }
    const next = pathOf(target)!;
    const isRedirected = redirects.has(next) && (await findPage(context, next)) === undefined;
    if (!isRedirected) return passed.has(next) ? undefined : siteBase + encodePath(target.path);
    from = next;
  }
  return undefined;
}

/** The path of an entry in a language of the site, without the prefix of the language. */
async function pathOfEntity(
  { services, access, actor }: PathContext,
  { type, id }: Reference,
  langcode: string | undefined,
): Promise<string | undefined> {
  const { store, engine } = services;
  const own = langcode === undefined ? access : services.access(actor, { langcode, fallback: true });
  const entity = await engine.find(type, id, own);
  const seen = entity && visibleEntity(entity, store, own);
  const found = store.types.get(type);
  return seen && found && sitePath(found, seen);
}

/** The old addresses that a path can mean: without the base, and with the language of the request. */
function addressesOf({ services: { settings } }: PathContext, path: string): readonly string[] {
  const { base, siteBase = base } = settings;
  const plain = `/${(path.split(/[?#]/, 1)[0] ?? '').replace(/^\/+/, '')}`;
  const below = siteBase !== '' && plain.startsWith(`${siteBase}/`) ? plain.slice(siteBase.length) : plain;
  const prefix = base.slice(siteBase.length);
  const paths = prefix === '' || below.startsWith(`${prefix}/`) ? [below] : [prefix + below, below];
  return [...new Set(paths.flatMap((each) => [addressOf(each), addressOf(decodeUri(each))]))];
}

/** Percent-encodes the characters that a header cannot contain. Encoded ones stay. */
function encodePath(path: string): string {
  return encodeURI(path.toWellFormed()).replace(/%25(?=[\da-f]{2})/gi, '%');
}

function withQuery(to: string, query: string): string {
  if (query === '') return to;
  const hash = to.indexOf('#');
  const [start, end] = hash === -1 ? [to, ''] : [to.slice(0, hash), to.slice(hash)];
  return `${start}${start.includes('?') ? '&' : '?'}${encodePath(query)}${end}`;
}
