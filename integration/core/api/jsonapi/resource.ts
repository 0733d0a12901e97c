import { type Entity, languageOf, type ResourceType } from '../../content/model.ts';
import type { Query } from '../../engine/ast.ts';
import { parseQuery } from '../../engine/parse/parse-query.ts';
import type { ComposedDocument } from '../../read/compose.ts';
import { JSONAPI_MEMBER } from '../../read/document-types.ts';
import { type Addressed, findAddressed } from '../../read/find.ts';
import { findVersion } from '../../read/find-version.ts';
import { includeTree, omittedMember } from '../../read/include.ts';
import { createRequestPager, type ServerLinks } from '../../read/links.ts';
import type { DocumentContext, Fragment } from '../../read/reader.ts';
import { ownContext } from '../../read/serialize.ts';
import { createVersionLinks } from '../../read/version-links.ts';
import type { JsonApiContext } from './context.ts';
import {
  defaultsOf,
  describedBy,
  fragmentOf,
  ignoredParameters,
  includedOf,
  metaMember,
} from './document.ts';
import { relatedDocument, relationshipDocument } from './related.ts';

/** The document at path segments below a collection. */
export async function readBelow(
  context: JsonApiContext,
  type: ResourceType,
  segments: readonly string[],
  query: string,
): Promise<ComposedDocument> {
  const { services, access } = context;
  const parsed = parseQuery(query, 'resource', services.settings);
  const addressed = await findAddressed(services, access, type, segments);
  const { self } = createRequestPager(addressOf(context.addresses, type, addressed), query);
  const { entity: present } = addressed;
  const version = await findVersion(context, present, parsed.version);
  if (version === undefined) return resourceDocument(context, type, addressed, parsed, self);
  const { entity, name, ...own } = version;
  const links =
    name === undefined ? context.links : createVersionLinks(context.links, name, languageOf(present));
  const past = { present, own: { services: own.services, links } };
  return resourceDocument({ ...context, past }, type, { ...addressed, entity }, parsed, self);
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

/** One entity. The caller has checked that the actor may see it. */
export async function individualDocument(
  context: DocumentContext,
  type: ResourceType,
  entity: Entity,
  sent: Query,
  self: string,
): Promise<ComposedDocument<Fragment>> {
  const { services, access, past } = context;
  const { include = [] } = (sent.includeSent ? undefined : await defaultsOf(context, type)) ?? {};
  const query = include.length === 0 ? sent : { ...sent, include, includeSent: true };
  const tree = includeTree(services, access, [type], query.include);
  const primary = past === undefined ? [entity] : [entity, past.present];
  const { included, omitted } = await includedOf(context, [entity], tree, query, { primary });
  const data = await fragmentOf(ownContext(context), entity, query);
  return {
    jsonapi: JSONAPI_MEMBER,
    data,
    ...(included && { included }),
    ...metaMember({ omitted: omittedMember(context, omitted), ignored: ignoredParameters(context, query) }),
    links: { self: { href: self }, describedby: describedBy(context, type) },
    ...(self === context.links.individual(type, entity.id, languageOf(entity)) &&
      !query.includeSent &&
      data.translations.length === 0 && { tag: data.revision }),
    language: access.languages && languageOf(entity),
    ...(past && { past: true }),
  };
}

function addressOf(links: ServerLinks, type: ResourceType, addressed: Addressed): string {
  const { id } = addressed.entity;
  if (addressed.kind === 'individual') return links.individual(type, id);
  const { related, self } = links.relationship(type, id, addressed.field.name);
  return addressed.kind === 'related' ? related : self;
}
