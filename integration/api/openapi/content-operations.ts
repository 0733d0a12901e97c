import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { references, targetTypes } from '../../read/include.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { listFields } from '../rest/find-listed.ts';
import type { Address, JSONAPI_ADDRESSES, REST_ADDRESSES } from '../routes.ts';
import type { Services } from '../services.ts';
import {
  ANY_CHANGE,
  CREATE_HEADERS,
  header,
  MATCH_HEADERS,
  type Operation,
  REMOVAL,
  STORED,
} from './operation.ts';
import {
  collectionParameters,
  ID_PARAMETER,
  includedTypes,
  individualParameters,
  plainFields,
  plainListParameters,
  versionParameters,
} from './parameters.ts';
import {
  anyOf,
  array,
  documentSchema,
  fileSchema,
  isFileField,
  object,
  orNull,
  plainDocument,
  plainField,
  ref,
  sentItems,
  sentLinkage,
  TEXT,
} from './schemas.ts';

/** The resource type and field that an operation is about. */
export interface Subject {
  readonly services: Services;
  readonly access: QueryAccess;
  readonly type: ResourceType;
  /** Throws for an address without `{field}`. */
  field(): FieldDefinition;
}

/** Describes an operation; undefined if the field does not have it. */
type Describe = (subject: Subject) => Operation | undefined;

type Descriptions<Addresses extends Readonly<Record<string, Address>>> = {
  readonly [name in keyof Addresses]: {
    readonly [method in keyof Addresses[name]['operations']]: Describe;
  };
};

export const TOO_MANY_CLIENTS =
  'Too many clients read large responses. Try again after the seconds in `Retry-After`.';

const EMPTY = { status: 204, schema: null } as const;
const DELETION: Operation = {
  parameters: [ID_PARAMETER, ...MATCH_HEADERS],
  refusals: REMOVAL,
  ...EMPTY,
};

const FILE_NAME = 'Content-Disposition';
const FILE_NAME_TEXT = 'The name of the file, for example `file; filename="harbour.png"`.';
const UPLOAD = {
  parameters: [header(FILE_NAME, FILE_NAME_TEXT, true)],
  file: 'only',
  status: 201,
  refusals: ANY_CHANGE,
} as const;
const UPLOAD_TO = {
  parameters: [ID_PARAMETER, ...UPLOAD.parameters, ...MATCH_HEADERS],
  file: 'only',
  refusals: STORED,
} as const;

export const SCHEMA_OPERATIONS = { schema: { GET: () => ({ schema: { type: 'object' } }) } } as const;

export const JSONAPI_OPERATIONS: Descriptions<typeof JSONAPI_ADDRESSES> = {
  collection: {
    GET: ({ services, access, type }) => ({
      parameters: collectionParameters(services, access, type),
      schema: `${type.name}.collection`,
      errors: largeErrors(services),
    }),
    POST: ({ services, access, type }) => ({
      parameters: individualParameters(services, access, type),
      body: ref(`${type.name}.new`),
      status: 201,
      schema: `${type.name}.document`,
      refusals: [...ANY_CHANGE, 404],
    }),
  },
  individual: {
    GET: ({ services, access, type }) => ({
      parameters: readParameters(services, access, type),
      schema: `${type.name}.document`,
    }),
    PATCH: ({ services, access, type }) => ({
      parameters: [ID_PARAMETER, ...MATCH_HEADERS, ...individualParameters(services, access, type)],
      body: ref(`${type.name}.changes`),
      schema: `${type.name}.document`,
      refusals: STORED,
    }),
    DELETE: () => DELETION,
  },
  related: {
    GET({ services, access, field }) {
      const types = targetTypes(services, [field()]);
      const included = types.flatMap((each) => [each, ...includedTypes(services, access, each)]);
      return {
        parameters: readParameters(services, access, ...types),
        schema: documentSchema(relatedData(field(), types), included),
      };
    },
  },
  relationship: {
    GET: ({ services, access, type, field }) => ({
      parameters: readParameters(services, access, type),
      schema: relationshipDocument(services, access, type, field()),
    }),
    POST: ({ services, access, type, field }) =>
      field().list
        ? {
            ...linkageChange(field()),
            parameters: [ID_PARAMETER, ...MATCH_HEADERS, ...individualParameters(services, access, type)],
            status: 200,
            schema: relationshipDocument(services, access, type, field()),
          }
        : undefined,
    PATCH: ({ field }) => linkageChange(field()),
    DELETE: ({ field }) => (field().list ? linkageChange(field()) : undefined),
  },
  upload: { POST: ({ field }) => ({ ...UPLOAD, schema: uploadedDocument(field()) }) },
  uploadTo: { POST: ({ field }) => ({ ...UPLOAD_TO, schema: uploadedDocument(field()) }) },
};

export const REST_OPERATIONS: Descriptions<typeof REST_ADDRESSES> = {
  collection: {
    GET: ({ services, access, type }) => ({
      parameters: plainListParameters(services.settings, access, type),
      schema: `${type.name}.plain-list`,
      errors: largeErrors(services),
    }),
    POST: ({ access, type }) => ({
      parameters: [plainFields(access, type)],
      body: ref(`${type.name}.plain-new`),
      status: 201,
      schema: `${type.name}.plain-document`,
      refusals: [...ANY_CHANGE, 404],
    }),
  },
  individual: {
    GET: ({ services, access, type }) => ({
      parameters: [ID_PARAMETER, plainFields(access, type), ...versionParameters(services)],
      schema: `${type.name}.plain-document`,
    }),
    PUT: ({ access, type }) => plainChange(access, type, 'plain-new', CREATE_HEADERS),
    PATCH: ({ access, type }) => plainChange(access, type, 'plain-changes', MATCH_HEADERS),
    DELETE: () => DELETION,
  },
  list: {
    GET: ({ services, field }) => ({
      parameters: [ID_PARAMETER, ...versionParameters(services)],
      schema: plainDocument(plainField(field())),
    }),
    POST({ field }) {
      const change = listChange(field());
      if (!isFileField(field())) return change;
      return {
        ...change,
        parameters: [ID_PARAMETER, ...MATCH_HEADERS, header(FILE_NAME, FILE_NAME_TEXT)],
        file: 'also',
        schema: anyOf(plainDocument(plainField(field())), plainUploadedDocument(field())),
      };
    },
    PUT: ({ field }) => listChange(field()),
    DELETE: () => ({ ...DELETION, refusals: [...REMOVAL, 422] }),
  },
  upload: { POST: ({ field }) => ({ ...UPLOAD, schema: plainUploadedDocument(field()) }) },
  uploadTo: {
    POST: ({ field }) => ({ ...UPLOAD_TO, status: 201, schema: plainUploadedDocument(field()) }),
  },
};

/** The fields that `{field}` in an address stands for. */
export const ADDRESS_FIELDS: Readonly<
  Record<
    NonNullable<Address['fields']>,
    (access: QueryAccess, type: ResourceType) => readonly FieldDefinition[]
  >
> = {
  references,
  lists: listFields,
  files: fileFields,
  'single-files': (access, type) => fileFields(access, type).filter(({ list }) => !list),
};

function fileFields(access: QueryAccess, type: ResourceType): readonly FieldDefinition[] {
  return visibleFields(type, access).filter(isFileField);
}

function readParameters(
  services: Services,
  access: QueryAccess,
  ...types: readonly ResourceType[]
): readonly JsonSchema[] {
  return [ID_PARAMETER, ...individualParameters(services, access, ...types), ...versionParameters(services)];
}

function largeErrors({ settings }: Services): Operation['errors'] & object {
  return settings.allowUnlimitedPage ? { 503: TOO_MANY_CLIENTS } : {};
}

function relatedData({ list }: FieldDefinition, types: readonly ResourceType[]): JsonSchema {
  const resources = types.map(({ name }) => ref(name));
  if (!list) return orNull(...resources);
  return resources.length === 0 ? { type: 'array', maxItems: 0 } : array(anyOf(...resources));
}

function relationshipDocument(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
  { list }: FieldDefinition,
): JsonSchema {
  const data = list ? array(ref('identifier')) : orNull(ref('identifier'));
  return documentSchema(data, [type, ...includedTypes(services, access, type)]);
}

function linkageChange(field: FieldDefinition): Operation {
  const parameters = [ID_PARAMETER, ...MATCH_HEADERS];
  return { parameters, body: sentLinkage(field), refusals: STORED, ...EMPTY };
}

function plainChange(
  access: QueryAccess,
  type: ResourceType,
  body: 'plain-new' | 'plain-changes',
  headers: readonly JsonSchema[],
): Operation {
  return {
    parameters: [ID_PARAMETER, ...headers, plainFields(access, type)],
    body: ref(`${type.name}.${body}`),
    status: 201,
    schema: `${type.name}.plain-document`,
    refusals: STORED,
  };
}

function listChange(field: FieldDefinition): Operation {
  return {
    parameters: [ID_PARAMETER, ...MATCH_HEADERS],
    body: sentItems(field),
    status: 201,
    schema: plainDocument(plainField(field)),
    refusals: STORED,
  };
}

function uploadedDocument(field: FieldDefinition): JsonSchema {
  const data = object({ type: { const: 'file--file' }, id: TEXT, attributes: fileSchema(field) });
  return object({ jsonapi: ref('jsonapi'), data });
}

function plainUploadedDocument(field: FieldDefinition): JsonSchema {
  const links = object({ self: TEXT, entity: TEXT }, ['self']);
  return object({ data: fileSchema(field), meta: ref('plain-meta'), links }, ['data', 'links']);
}
