import { type Entity, type FieldDefinition, languageOf, type ResourceType } from '../../content/model.ts';
import type { Query } from '../../engine/ast.ts';
import type { ComposedDocument, Resources } from '../../read/compose.ts';
import { JSONAPI_MEMBER, type Linkage } from '../../read/document-types.ts';
import { createTargets, includeTree, omittedMember, targetTypes } from '../../read/include.ts';
import type { DocumentContext, Fragment } from '../../read/reader.ts';
import { ownContext, relationship } from '../../read/serialize.ts';
import {
  describedBy,
  fragmentOf,
  ignoredParameters,
  includedOf,
  metaMember,
  resourcesOf,
} from './document.ts';

/**
 * The target resources of a reference, without duplicates, in the order of the field; null for a single reference without
 * a target. Include paths start at these resources. Targets that the actor may not see are listed in `meta.omitted`;
 * missing ones are left out. `describedby` is present if all targets have the same type.
 */
export async function relatedDocument(
  context: DocumentContext,
  entity: Entity,
  field: FieldDefinition,
  query: Query,
  self: string,
): Promise<ComposedDocument<Fragment | Resources | null>> {
  const { services, access } = context;
  const types = targetTypes(services, [field]);
  const tree = includeTree(services, access, types, query.include);
  const type = types.length === 1 ? types[0] : undefined;
  const { seen, unseen } = await createTargets(services, access)(entity, field.name);
  const targets = [...new Set(seen)];
  const { included, omitted } = await includedOf(context, targets, tree, query);
  const [only] = targets;
  const left = new Map([...unseen, ...omitted].map((each) => [`${each.type}:${each.id}`, each]));
  return {
    jsonapi: JSONAPI_MEMBER,
    data: field.list
      ? resourcesOf(context, targets, query)
      : only === undefined
        ? null
        : await fragmentOf(context, only, query),
    ...(included && { included }),
    ...metaMember({
      omitted: omittedMember(context, [...left.values()]),
      ignored: ignoredParameters(context, query),
    }),
    links: {
      self: { href: self },
      ...(type === undefined ? {} : { describedby: describedBy(context, type) }),
    },
    ...(context.past && { past: true }),
    language: access.languages?.[0],
  };
}

/** The identifiers in a reference, as in its resource. Include paths start at that resource. */
export async function relationshipDocument(
  context: DocumentContext,
  type: ResourceType,
  entity: Entity,
  field: FieldDefinition,
  query: Query,
  self: string,
): Promise<ComposedDocument<Linkage>> {
  const { services, access } = context;
  const tree = includeTree(services, access, [type], query.include);
  const { included, omitted } = await includedOf(context, [entity], tree, query, { primary: [] });
  const { data, links } = relationship(ownContext(context), entity, type, field);
  return {
    jsonapi: JSONAPI_MEMBER,
    data,
    ...(included && { included }),
    ...metaMember({ omitted: omittedMember(context, omitted), ignored: ignoredParameters(context, query) }),
    links: { ...links, self: { href: self } },
    language: access.languages && languageOf(entity),
    ...(context.past && { past: true }),
  };
}
