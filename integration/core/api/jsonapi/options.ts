import { isRelationship } from '../../content/file-resource.ts';
import { JSONAPI_MEMBER, type OptionsDocument } from '../../read/document-types.ts';
import { fileField, findAddressed, findEntity } from '../../read/find.ts';
import { offeredVersions } from '../../read/past.ts';
import { pathSegments } from '../../read/url-path.ts';
import { translatableInto, writableFields } from '../../write/permissions.ts';
import { checkJsonApiAccept } from '../accept.ts';
import { JSONAPI_ADDRESSES, methodsAt } from '../addresses.ts';
import type { ReadRequest } from '../request.ts';
import { methodsFor, READING_METHODS } from '../routes.ts';
import { findCollection } from './answer.ts';
import { withFileResources } from './file-resources.ts';

/**
 * The methods of an address below `/jsonapi`, and the fields that the actor may set on a new entity or change on this
 * one. Throws NotFoundError if nothing is there.
 */
export async function jsonApiOptions(request: ReadRequest): Promise<OptionsDocument> {
  const { services, access, language, target, headers } = withFileResources(request);
  checkJsonApiAccept(headers.get('accept'));
  const segments = pathSegments(target.rest);
  const [entityType, bundle, ...below] = segments;
  const plain = { jsonapi: JSONAPI_MEMBER, meta: { allow: READING_METHODS } };
  if (entityType === undefined) return plain;
  if ((await services.features.findDocument(services, segments)) !== undefined) return plain;
  const type = findCollection(services.store, entityType, bundle);
  const takesFiles = services.writer !== null && services.features.uploads !== undefined;
  const file = takesFiles ? fileField(access, type, below) : undefined;
  if (file !== undefined) {
    if (below.length > 1) await findEntity(services, access, type, below.slice(0, -1));
    const { related, upload } = JSONAPI_ADDRESSES;
    const reading = below.length > 1 && isRelationship(file) ? methodsAt(related) : [];
    return { ...plain, meta: { allow: [...new Set([...reading, ...methodsAt(upload)])] } };
  }
  const addressed = below.length === 0 ? undefined : await findAddressed(services, access, type, below);
  const address = JSONAPI_ADDRESSES[addressed?.kind ?? 'collection'];
  // New entities have no language in their address.
  const writes = services.writer !== null && (addressed !== undefined || language === undefined);
  const allow = writes ? methodsAt(address) : READING_METHODS;
  if (addressed !== undefined && addressed.kind !== 'individual') return { ...plain, meta: { allow } };
  const writable = writes ? writableFields(access, type, addressed?.entity) : [];
  const namesOf = (relationship: boolean) =>
    writable.filter((field) => isRelationship(field) === relationship).map(({ name }) => name);
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
