import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { JSONAPI_MEDIA_TYPE } from '../../read/document-types.ts';
import { references } from '../../read/include.ts';
import { encode } from '../../read/links.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { listFields } from '../rest/find-listed.ts';
import type { Services } from '../services.ts';
import { plainListSchema, ref } from './component-schemas.ts';
import { relationshipDocument } from './describe-related.ts';
import { FILE_NAME, isFileField, plainUploadedDocument } from './describe-uploads.ts';
import { tagOf } from './document.ts';
import { type Operation, type PathItem, ID_PARAMETER, individualParameters, plainFields } from './parameters.ts';
import { ANY_CHANGE, CREATE_HEADERS, MATCH_HEADERS, REMOVAL, STORED } from './refusals.ts';
import { sentItems, sentLinkage } from './write-schemas.ts';

/** Templates of addresses, the resource and the plain collection without a slash at their end. */
export interface WriteAddresses {
  readonly collection: string;
  readonly resource: string;
  readonly plain: string;
  /** What the others end with. */
  readonly end: string;
}

/** What changes entities of a type, in both APIs. Described to everybody, whoever may do it. */
export function writeOperations(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
  { collection, resource, plain, end }: WriteAddresses,
): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {};
  const { name } = type;
  const common = { tag: tagOf(type) };
  const jsonApi = { ...common, mediaType: JSONAPI_MEDIA_TYPE, errors: 'jsonapi' } as const;
  const json = { ...common, mediaType: 'application/json', errors: 'plain' } as const;
  const answered = individualParameters(services, access, type);
  const removal = { parameters: [ID_PARAMETER, ...MATCH_HEADERS], refusals: REMOVAL, ...NOTHING };
  paths[collection] = {
    post: {
      ...jsonApi,
      id: `create-${name}`,
      summary: `Create one ${name}`,
      parameters: answered,
      body: ref(`${name}.new`),
      status: 201,
      schema: `${name}.document`,
      refusals: [...ANY_CHANGE, 404],
    },
  };
  paths[resource + end] = {
    patch: {
      ...jsonApi,
      id: `update-${name}`,
      summary: `Change one ${name}`,
      parameters: [ID_PARAMETER, ...MATCH_HEADERS, ...answered],
      body: ref(`${name}.changes`),
      schema: `${name}.document`,
      refusals: STORED,
    },
    delete: { ...jsonApi, ...removal, id: `delete-${name}`, summary: `Remove one ${name}` },
  };
  for (const field of references(access, type)) {
    const answer = relationshipDocument(services, access, type, field);
    paths[`${resource}/relationships/${encode(field.name)}${end}`] = relationship(
      jsonApi,
      type,
      field,
      answered,
      answer,
    );
  }
  const fields = plainFields(access, type);
  const stored = { ...json, status: 201, schema: `${name}.plain-document` };
  paths[plain + end] = {
    post: {
      ...stored,
      id: `create-plain-${name}`,
      summary: `Create one ${name}`,
      parameters: [fields],
      body: ref(`${name}.plain-new`),
      refusals: [...ANY_CHANGE, 404],
    },
  };
  paths[`${plain}/{id}${end}`] = {
    put: {
      ...stored,
      id: `replace-plain-${name}`,
      summary: `Replace one ${name}: what is not sent is emptied`,
      parameters: [ID_PARAMETER, ...CREATE_HEADERS, fields],
      body: ref(`${name}.plain-new`),
      refusals: STORED,
    },
    patch: {
      ...stored,
      id: `update-plain-${name}`,
      summary: `Change one ${name}`,
      parameters: [ID_PARAMETER, ...MATCH_HEADERS, fields],
      body: ref(`${name}.plain-changes`),
      refusals: STORED,
    },
    delete: { ...json, ...removal, id: `delete-plain-${name}`, summary: `Remove one ${name}` },
  };
  for (const field of listFields(access, type)) {
    paths[`${plain}/{id}/${encode(field.name)}${end}`] = list(json, type, field);
  }
  return paths;
}

/** A relationship to many is added to, set and taken from; one to one is only set. */
function relationship(
  common: Pick<Operation, 'tag' | 'mediaType' | 'errors'>,
  type: ResourceType,
  field: FieldDefinition,
  answered: readonly JsonSchema[],
  answer: JsonSchema,
): PathItem {
  const label = `${type.name}-${field.name}`;
  const change = {
    ...common,
    parameters: [ID_PARAMETER, ...MATCH_HEADERS],
    body: sentLinkage(field),
    refusals: STORED,
  };
  const set: Operation = {
    ...change,
    ...NOTHING,
    id: `set-relationship-${label}`,
    summary: `Set what ${field.name} of one ${type.name} refers to`,
  };
  if (!field.list) return { patch: set };
  return {
    post: {
      ...change,
      parameters: [...change.parameters, ...answered],
      id: `add-relationship-${label}`,
      summary: `Add to what ${field.name} of one ${type.name} refers to`,
      schema: answer,
    },
    patch: set,
    delete: {
      ...change,
      ...NOTHING,
      id: `remove-relationship-${label}`,
      summary: `Take from what ${field.name} of one ${type.name} refers to`,
    },
  };
}

function list(
  common: Pick<Operation, 'tag' | 'mediaType' | 'errors'>,
  type: ResourceType,
  field: FieldDefinition,
): PathItem {
  const label = `${type.name}-${field.name}`;
  const change = {
    ...common,
    parameters: [ID_PARAMETER, ...MATCH_HEADERS],
    body: sentItems(field),
    status: 201,
    schema: plainListSchema(field),
    refusals: STORED,
  };
  return {
    post: {
      ...change,
      ...(isFileField(field) && {
        parameters: [...change.parameters, { ...FILE_NAME, required: false }],
        takesFile: 'too' as const,
        schema: { anyOf: [change.schema, plainUploadedDocument(field)] },
      }),
      id: `add-plain-${label}`,
      summary: `Add to ${field.name} of one ${type.name}`,
    },
    put: { ...change, id: `replace-plain-${label}`, summary: `Replace ${field.name} of one ${type.name}` },
    delete: {
      ...common,
      parameters: [ID_PARAMETER, ...MATCH_HEADERS],
      ...NOTHING,
      id: `empty-plain-${label}`,
      summary: `Empty ${field.name} of one ${type.name}`,
      refusals: [...REMOVAL, 422],
    },
  };
}

const NOTHING = { status: 204, schema: null } as const;
