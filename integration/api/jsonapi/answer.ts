import { type Actor, ANONYMOUS } from '../../access/actor.ts';
import { languageOf, type ResourceType } from '../../content/model.ts';
import type { Query } from '../../engine/ast.ts';
import { checkQueryLength } from '../../engine/limits.ts';
import { parseQuery } from '../../engine/parse/parse-query.ts';
import type { EntityStore } from '../../engine/store/entity-store.ts';
import {
  type ComposedDocument,
  composed,
  openDocument,
  parseWritten,
  type Streamed,
  type Written,
  writeDocument,
} from '../../read/compose.ts';
import {
  type DataDocument,
  JSONAPI_MEMBER,
  type Link,
  type OptionsDocument,
} from '../../read/document-types.ts';
import { type Addressed, fileField, findAddressed, findEntity, findType } from '../../read/find.ts';
import {
  createLanguageLinks,
  createRequestPager,
  createServerLinks,
  createVersionLinks,
  type ServerLinks,
  sizeParameter,
} from '../../read/links.ts';
import { findPast, offeredVersions } from '../../read/past.ts';
import type { DocumentContext, Reader } from '../../read/reader.ts';
import { prefixedSettings, requestLanguage, splitLanguage } from '../../read/request-language.ts';
import { pathSegments, splitPath } from '../../read/url-path.ts';
import { NotFoundError } from '../../util/errors.ts';
import { translatableInto, writableFields } from '../../write/permissions.ts';
import { checkJsonApiAccept } from '../accept.ts';
import { findMenu, menuDocument } from '../drupal/menu.ts';
import { findIndex, indexDocument } from '../drupal/search-index.ts';
import { findView, viewDocument } from '../drupal/view.ts';
import type { ApiRequest, ReadRequest } from '../request.ts';
import { JSONAPI_ADDRESSES, methodsFor, methodsOf, READING_METHODS } from '../routes.ts';
import { collectionDocument, entryDocument, individualDocument } from './document.ts';
import { relatedDocument, relationshipDocument } from './related.ts';

/**
 * The document that the server returns for a path below `/jsonapi`, such as `/node/article?filter[title]=x`. The path may
 * include the prefix, also below that of a language. Links are relative to the site. Throws the DomainError that a request
 * would fail with.
 */
export async function answer(
  services: Reader,
  path: string,
  { actor = ANONYMOUS }: { readonly actor?: Actor } = {},
): Promise<DataDocument> {
  const { langcode, path: plain } = splitLanguage(services.settings, path);
  const settings = langcode === undefined ? services.settings : prefixedSettings(services.settings, langcode);
  const { segments, query } = splitPath(plain, settings);
  checkQueryLength(path.length, settings.limits);
  const language = requestLanguage(settings.languages, query, langcode);
  const access = services.access(actor, language);
  const context = { services: { ...services, settings }, access, actor, language };
  return parseWritten(await writeDocument(await readDocument(withLinks(context, ''), segments, query)));
}

/** The response to `GET` of a path below `/jsonapi`. */
export async function readJsonApi(request: ReadRequest): Promise<Written | Streamed> {
  const { services, target, headers, work } = request;
  checkJsonApiAccept(headers.get('accept'));
  const { limits } = services.settings;
  const context = withLinks(request, target.origin);
  const document = composed(await readDocument(context, pathSegments(target.rest), target.query));
  return openDocument(document, { limits, work, parameter: sizeParameter(target.query) });
}

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

/** The document at decoded path segments below `/jsonapi`, for a query string without `?`. */
async function readDocument(
  context: JsonApiContext,
  segments: readonly string[],
  query: string,
): Promise<ComposedDocument> {
  const { services, access, addresses: links } = context;
  const { settings, store } = services;
  const [entityType, bundle, ...below] = segments;
  if (entityType === undefined) {
    const { ignored, includeSent, fields } = parseQuery(query, 'individual', settings);
    const { self } = createRequestPager(links.entry(), query);
    // The document contains no resources.
    const ineffective = [
      ...(includeSent ? ['include'] : []),
      ...Object.keys(fields).map((name) => `fields[${name}]`),
    ];
    return entryDocument(context, self, [...ignored, ...ineffective], await meLink(context));
  }
  const menu = settings.drupal === false ? undefined : findMenu(store, segments);
  if (menu !== undefined) return menuDocument(context, menu, query);
  const index = findIndex(services, segments);
  if (index !== undefined) return indexDocument(context, index, query, links.index(index.name));
  const view = findView(services, segments);
  if (view !== undefined) {
    return viewDocument(inLanguageOf(view.query, context), view, query, links.view(view.name, view.display));
  }
  const type = findCollection(store, entityType, bundle);
  if (below.length === 0) {
    const parsed = parseQuery(query, 'collection', settings);
    return collectionDocument(context, [type], parsed, createRequestPager(links.collection(type), query));
  }
  const parsed = parseQuery(query, 'resource', settings);
  const addressed = await findAddressed(services, access, type, below);
  const { self } = createRequestPager(addressOf(links, type, addressed), query);
  if (parsed.version === undefined) return resourceDocument(context, type, addressed, parsed, self);
  const { entity: present } = addressed;
  const { entity, ...own } = await findPast(context, present, parsed.version);
  const past = {
    present,
    own: {
      services: own.services,
      links: createVersionLinks(context.links, own.commit, languageOf(present)),
    },
  };
  return resourceDocument({ ...context, past }, type, { ...addressed, entity }, parsed, self);
}

/** A listed query with `langCode` is in that language, unless the request asks for another one. */
function inLanguageOf(listed: string, context: JsonApiContext): JsonApiContext {
  const { services, actor = ANONYMOUS, addresses } = context;
  const language = requestLanguage(services.settings.languages, listed, undefined);
  if (language === undefined || context.language?.inQuery) return context;
  const links = createLanguageLinks(addresses, language.langcode);
  return { ...context, language, links, access: services.access(actor, language) };
}

/** The document of an address below a collection, with `self` as its link to itself. */
export async function resourceDocument(
  context: DocumentContext,
  type: ResourceType,
  addressed: Addressed,
  query: Query,
  self: string,
): Promise<ComposedDocument> {
  const { entity } = addressed;
  switch (addressed.kind) {
    case 'individual':
      return individualDocument(context, type, entity, query, self);
    case 'related':
      return relatedDocument(context, entity, addressed.field, query, self);
    case 'relationship':
      return relationshipDocument(context, type, entity, addressed.field, query, self);
    default:
      return addressed satisfies never;
  }
}

/**
 * Drupal's `meta.links.me` in the entry point, with the account's name as `meta.id`. It links to the resource `user--user`
 * with that id if the actor may see one, else to the entry point: clients check only whether the link exists. Undefined
 * for anonymous.
 */
async function meLink({ services, access, links, actor }: DocumentContext): Promise<Link | undefined> {
  const id = actor?.name ?? null;
  if (id === null) return undefined;
  const type = services.store.types.get('user--user');
  const account = type !== undefined && (await services.engine.find(type.name, id, access)) !== undefined;
  return { href: account ? links.individual(type, id) : links.entry(), meta: { id } };
}

/**
 * The methods of an address below `/jsonapi`, and the fields that the actor may set on a new entity or change on this
 * one. Throws NotFoundError if nothing is there.
 */
export async function jsonApiOptions(request: ReadRequest): Promise<OptionsDocument> {
  const { services, access, language, target, headers } = request;
  checkJsonApiAccept(headers.get('accept'));
  const segments = pathSegments(target.rest);
  const [entityType, bundle, ...below] = segments;
  const plain = { jsonapi: JSONAPI_MEMBER, meta: { allow: READING_METHODS } };
  if (entityType === undefined) return plain;
  const named = findMenu(services.store, segments) ?? findIndex(services, segments);
  if ((named ?? findView(services, segments)) !== undefined) return plain;
  const type = findCollection(services.store, entityType, bundle);
  if (services.writer !== null && fileField(access, type, below) !== undefined) {
    if (below.length > 1) await findEntity(services, access, type, below.slice(0, -1));
    return { ...plain, meta: { allow: methodsOf(JSONAPI_ADDRESSES.upload) } };
  }
  const addressed = below.length === 0 ? undefined : await findAddressed(services, access, type, below);
  const address = JSONAPI_ADDRESSES[addressed?.kind ?? 'collection'];
  // New entities have no language in their address.
  const writes = services.writer !== null && (addressed !== undefined || language === undefined);
  const allow = writes ? methodsOf(address) : READING_METHODS;
  if (addressed !== undefined && addressed.kind !== 'individual') return { ...plain, meta: { allow } };
  const writable = writes ? writableFields(access, type, addressed?.entity) : [];
  const namesOf = (reference: boolean) =>
    writable.filter(({ kind }) => (kind === 'reference') === reference).map(({ name }) => name);
  const versions = addressed && (await offeredVersions({ services, access }, type, addressed.entity));
  const translatable =
    writes && addressed && (await translatableInto({ services, access }, type, addressed.entity));
  return {
    jsonapi: JSONAPI_MEMBER,
    meta: {
      allow: addressed === undefined ? allow : methodsFor(allow, access, addressed.entity),
      attributes: namesOf(false),
      relationships: namesOf(true),
      ...(translatable && { translatable }),
      ...(versions && { versions }),
    },
  };
}

function findCollection(store: EntityStore, entityType: string, bundle: string | undefined): ResourceType {
  if (bundle !== undefined) return findType(store, entityType, bundle);
  throw new NotFoundError(`Nothing exists at '/${entityType}'. Collections are at /<entity type>/<bundle>.`);
}

function addressOf(links: ServerLinks, type: ResourceType, addressed: Addressed): string {
  const { id } = addressed.entity;
  if (addressed.kind === 'individual') return links.individual(type, id);
  const { related, self } = links.relationship(type, id, addressed.field.name);
  return addressed.kind === 'related' ? related : self;
}
