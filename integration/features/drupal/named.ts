import { ANONYMOUS } from '../../core/access/actor.ts';
import type { JsonApiContext } from '../../core/api/jsonapi/context.ts';
import type { NamedDocument } from '../../core/api/request.ts';
import { createLanguageLinks } from '../../core/read/links.ts';
import type { Reader } from '../../core/read/reader.ts';
import { requestLanguage } from '../../core/read/request-language.ts';
import { findMenu, menuDocument } from './menu.ts';
import { findIndex, indexDocument } from './search-index.ts';
import { findView, viewDocument } from './view.ts';

/** The document of a menu, a search index or a view. Undefined if none of them is at this path. Throws NotFoundError if only its name is wrong. */
export function findNamed(services: Reader, segments: readonly string[]): NamedDocument | undefined {
  const { settings, store } = services;
  const menu = settings.drupal === false ? undefined : findMenu(store, segments);
  if (menu !== undefined) return (context, query) => menuDocument(context, menu, query);
  const index = findIndex(services, segments);
  if (index !== undefined) {
    return (context, query) => indexDocument(context, index, query, context.addresses.index(index.name));
  }
  const view = findView(services, segments);
  if (view === undefined) return undefined;
  const { name, display } = view;
  return (context, query) =>
    viewDocument(inLanguageOf(view.query, context), view, query, context.addresses.view(name, display));
}

/** A listed query with `langCode` is in that language, unless the request asks for another one. */
function inLanguageOf(listed: string, context: JsonApiContext): JsonApiContext {
  const { services, actor = ANONYMOUS, addresses } = context;
  const language = requestLanguage(services.settings.languages, listed, undefined);
  if (language === undefined || context.language?.inQuery) return context;
  const links = createLanguageLinks(addresses, language.langcode);
  return { ...context, language, links, access: services.access(actor, language) };
}
