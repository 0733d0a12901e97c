import { createLanguageLinks, createServerLinks, type ServerLinks } from '../../read/links.ts';
import type { DocumentContext } from '../../read/reader.ts';
import type { ApiRequest } from '../request.ts';

export interface JsonApiContext extends DocumentContext, Pick<ApiRequest, 'language'> {
  /** Without `langCode`, for the link of the document to itself, which has all parameters of the request. */
  readonly addresses: ServerLinks;
}

/** Adds the links of responses: those of a request with `langCode` keep it. */
export function withLinks(
  context: Omit<DocumentContext, 'links'> & Pick<ApiRequest, 'language'>,
  origin: string,
): JsonApiContext {
  const { services, access, language } = context;
  const addresses = createServerLinks(services.settings, origin, access);
  const links = language?.inQuery ? createLanguageLinks(addresses, language.langcode) : addresses;
  return { ...context, addresses, links };
}
