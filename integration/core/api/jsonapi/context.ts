import { createLanguageLinks, createServerLinks, type ServerLinks } from '../../read/links.ts';
import type { DocumentContext } from '../../read/reader.ts';
import type { RequestLanguage } from '../../read/request-language.ts';
import { withFileResources } from './file-resources.ts';

export interface JsonApiContext extends DocumentContext {
  /** The language that the request asks for; undefined for the default one. */
  readonly language?: RequestLanguage | undefined;
  /** Without `langCode`, for the link of the document to itself, which has all parameters of the request. */
  readonly addresses: ServerLinks;
}

/** Adds the links of responses: those of a request with `langCode` keep it. */
export function withLinks(
  context: Omit<JsonApiContext, 'links' | 'addresses'>,
  origin: string,
): JsonApiContext {
  const { services, access, language } = context;
  const addresses = createServerLinks(services.settings, origin, access);
  const links = language?.inQuery ? createLanguageLinks(addresses, language.langcode) : addresses;
  return withFileResources({ ...context, addresses, links });
}
