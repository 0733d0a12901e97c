import type { Entity, FieldDefinition, ResourceType } from '../entities/model.ts';
import type { Query } from '../query/ast.ts';
import { metaMember, serializeAll } from './document.ts';
import { type DataDocument, JSONAPI_MEMBER, type Linkage, type ResourceObject } from './document-types.ts';
import { createTargets, includeTree, resolveIncludes, targetTypes } from './include.ts';
import { omittedMember } from './omitted.ts';
import { type DocumentContext, relationship } from './serialize.ts';
import { selectFields, unknownFields } from './sparse-fields.ts';

/**
 * The resources that a reference leads to, each once, in the order of the field; null where a single one leads to
 * none. Include paths begin at these resources. Targets that the actor may not see are left out and told in
 * `meta.omitted`; those that do not exist are left out.
 */
export async function relatedDocument(
  context: DocumentContext,
  entity: Entity,
  field: FieldDefinition,
  query: Query,
  self: string,
): Promise<DataDocument<ResourceObject | readonly ResourceObject[] | null>> {
  const { services, access } = context;
  const tree = includeTree(services, access, targetTypes(services, [field]), query.include);
  const select = selectFields(query.fields, access);
  const { seen, unseen } = await createTargets(services, access)(entity, field.name);
  const targets = [...new Set(seen)];
  const { entities: included, omitted } = await resolveIncludes(services, access, targets, tree);
  const resources = await serializeAll(context, targets, select);
  const left = new Map([...unseen, ...omitted].map((each) => [`${each.type}:${each.id}`, each]));
  return {
    jsonapi: JSONAPI_MEMBER,
    data: field.list ? resources : (resources[0] ?? null),
    ...(query.includeSent ? { included: await serializeAll(context, included, select) } : {}),
    ...metaMember({
      omitted: omittedMember(context, [...left.values()]),
      ignored: [...query.ignored, ...unknownFields(query.fields, services.store, access)],
    }),
    links: { self: { href: self } },
  };
}

/** The identifiers that a reference holds, as they are in its resource. Include paths begin at that resource. */
export async function relationshipDocument(
  context: DocumentContext,
  type: ResourceType,
  entity: Entity,
  field: FieldDefinition,
  query: Query,
  self: string,
): Promise<DataDocument<Linkage>> {
  const { services, access } = context;
  const tree = includeTree(services, access, [type], query.include);
  const select = selectFields(query.fields, access);
  const { entities: included, omitted } = await resolveIncludes(services, access, [entity], tree, {
    primary: [],
  });
  const { data, links } = relationship(context, entity, type, field);
  return {
    jsonapi: JSONAPI_MEMBER,
    data,
    ...(query.includeSent ? { included: await serializeAll(context, included, select) } : {}),
    ...metaMember({
      omitted: omittedMember(context, omitted),
      ignored: [...query.ignored, ...unknownFields(query.fields, services.store, access)],
    }),
    links: { ...links, self: { href: self } },
  };
}
