import type { Address, JSONAPI_ADDRESSES, REST_ADDRESSES } from '../../core/api/addresses.ts';
import {
  ANY_CHANGE,
  header,
  type Operation,
  REMOVAL,
  ref,
  STORED,
  TOO_MANY_CLIENTS,
} from '../../core/api/description.ts';
import { anyOf, array, type JsonSchema, object, orNull, TEXT } from '../../core/api/json-schema.ts';
import { attributesSchema } from '../../core/api/jsonapi/resource-schema.ts';
import type { Services } from '../../core/api/request.ts';
import type { Method } from '../../core/api/routes.ts';
import { FILE_TYPE, isFileField, isFileRelationship } from '../../core/content/file-resource.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { references, targetTypes } from '../../core/read/include.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { CREATE_HEADERS, MATCH_HEADERS } from './operation.ts';
import * as parameters from './parameters.ts';
import * as schema from './schemas.ts';

/** What operations at the addresses of a resource type have in common. */
export interface Subject {
  readonly services: Services;
  readonly access: QueryAccess;
  readonly type: ResourceType;
  /** `include` and `fields[…]` of JSON:API, at the addresses of the type. */
  readonly representation: readonly JsonSchema[];
  /** The same for its relationships, which have no defaults. */
  readonly linkage: readonly JsonSchema[];
  /** `fields` of `/api/content`. */
  readonly plainFields: JsonSchema;
  /** The version and the language of one resource. */
  readonly variant: readonly JsonSchema[];
  /** The language of a resource to change; empty on a site with one. */
  readonly language: readonly JsonSchema[];
  /** The error of a list that may be unlimited. */
  readonly listErrors: Readonly<Record<number, string>>;
}

export function subjectOf(services: Services, access: QueryAccess, type: ResourceType): Subject {
  return {
    ...{ services, access, type },
    representation: parameters.representationParameters(
      services,
      access,
      [type],
      services.settings.queryDefaults?.[type.name],
    ),
    linkage: parameters.representationParameters(services, access, [type]),
    plainFields: parameters.plainFields(access, type),
    variant: [...parameters.versionParameters(services), ...parameters.languageParameters(services.settings)],
    language: parameters.languageParameter(services.settings),
    listErrors: services.settings.pageSize.unlimited ? { 503: TOO_MANY_CLIENTS } : {},
  };
}

/** Describes an operation; undefined if the site or the field does not have it. */
type Describe = (subject: Subject) => Operation | undefined;
type DescribeField = (subject: Subject, field: FieldDefinition) => Operation | undefined;
type Descriptions<Addresses extends Readonly<Record<string, Address>>> = {
  readonly [name in keyof Addresses]: {
    readonly [method in keyof Addresses[name]['operations']]: Addresses[name]['fields'] extends string
      ? DescribeField
      : Describe;
  };
};

const ID = parameters.ID_PARAMETER;
const CHANGED = [ID, ...MATCH_HEADERS];
const EMPTY = { status: 204, schema: null } as const;
const CREATE = { actions: ['create'] } as const;
const UPDATE = { actions: ['update'], refusals: STORED } as const;
const CREATION = { ...CREATE, status: 201, refusals: [...ANY_CHANGE, 404] } as const;
const FILE_NAME = header(
  'Content-Disposition',
  'The name of the file, for example `file; filename="harbour.png"`.',
);
const NAMED_FILE = { ...FILE_NAME, required: true };
const UPLOAD = {
  ...CREATE,
  parameters: [NAMED_FILE],
  file: 'only',
  status: 201,
  refusals: ANY_CHANGE,
} as const;

const JSONAPI: Descriptions<typeof JSONAPI_ADDRESSES> = {
  collection: {
    GET: ({ services, access, type, representation, listErrors }) => ({
      parameters: [
        ...parameters.collectionParameters(services, access, type),
        ...representation,
        ...parameters.languageParameters(services.settings),
      ],
      schema: `${type.name}.collection`,
      errors: listErrors,
    }),
    POST: ({ type: { name }, representation }) => ({
      ...CREATION,
      parameters: representation,
      body: ref(`${name}.new`),
      schema: `${name}.document`,
    }),
  },
  individual: {
    GET: ({ type: { name }, representation, variant }) => ({
      parameters: [ID, ...representation, ...variant],
      schema: `${name}.document`,
    }),
    PATCH: ({ type: { name }, representation, language }) => ({
      parameters: [...CHANGED, ...representation, ...language],
      body: ref(`${name}.changes`),
      schema: `${name}.document`,
      ...UPDATE,
    }),
    DELETE: deletion,
  },
  translation: {
    POST: ({ type: { name }, representation, language }) =>
      translation(language, {
        ...CREATION,
        ...UPDATE,
        parameters: [ID, ...representation],
        body: ref(`${name}.changes`),
        schema: `${name}.document`,
      }),
  },
  related: {
    GET({ services, access, variant }, field) {
      const types = targetTypes(services, [field]);
      const representation = parameters.representationParameters(services, access, types);
      const resources = types.map(({ name }) => ref(name));
      const list = resources.length === 0 ? NOTHING : array(anyOf(...resources));
      const included = types.flatMap((each) => [each, ...parameters.includedTypes(services, access, each)]);
      return {
        parameters: [ID, ...representation, ...variant],
        schema: schema.documentSchema(field.list ? list : orNull(...resources), included),
      };
    },
  },
  relationship: {
    GET: (subject, field) => ({
      parameters: [ID, ...subject.linkage, ...subject.variant],
      schema: relationshipDocument(subject, field),
    }),
    POST: (subject, field) =>
      onlyLists(field, {
        ...linkageChange(subject, field),
        parameters: [...CHANGED, ...subject.linkage, ...subject.language],
        status: 200,
        schema: relationshipDocument(subject, field),
      }),
    PATCH: linkageChange,
    DELETE: (subject, field) => onlyLists(field, linkageChange(subject, field)),
  },
  upload: { POST: (subject, field) => ({ ...UPLOAD, schema: uploadedDocument(subject, field) }) },
  uploadTo: {
    POST: (subject, field) => ({ ...uploadTo(subject.language), schema: uploadedDocument(subject, field) }),
  },
};

const REST: Descriptions<typeof REST_ADDRESSES> = {
  collection: {
    GET: ({ services, access, type, plainFields, listErrors }) => ({
      parameters: [
        ...parameters.plainListParameters(services, access, type),
        plainFields,
        ...parameters.languageParameters(services.settings),
      ],
      schema: `${type.name}.plain-list`,
      errors: listErrors,
    }),
    POST: ({ type: { name }, plainFields }) => ({
      ...CREATION,
      parameters: [plainFields],
      body: ref(`${name}.plain-new`),
      schema: `${name}.plain-document`,
    }),
  },
  individual: {
    GET: ({ type: { name }, plainFields, variant }) => ({
      parameters: [ID, plainFields, ...variant],
      schema: `${name}.plain-document`,
    }),
    PUT: (subject) => ({
      ...plainChange(subject, 'plain-new', CREATE_HEADERS),
      actions: ['create', 'update'],
    }),
    PATCH: (subject) => plainChange(subject, 'plain-changes', MATCH_HEADERS),
    DELETE: deletion,
  },
  translation: {
    POST: ({ type: { name }, plainFields, language }) =>
      translation(language, {
        ...CREATION,
        parameters: [ID, plainFields],
        body: ref(`${name}.plain-changes`),
        schema: `${name}.plain-document`,
      }),
  },
  list: {
    GET: ({ variant }, field) => ({ parameters: [ID, ...variant], schema: schema.plainList(field) }),
    POST(subject, field) {
      const operation = listChange(subject, field);
      if (!isFileField(field)) return operation;
      const response = anyOf(schema.plainList(field), plainUploadedDocument(field));
      const parameters = [...CHANGED, FILE_NAME, ...subject.language];
      return { ...operation, parameters, file: 'also', schema: response };
    },
    PUT: listChange,
    DELETE: (subject) => ({ ...deletion(subject), actions: UPDATE.actions, refusals: [...REMOVAL, 422] }),
  },
  upload: { POST: (_, field) => ({ ...UPLOAD, schema: plainUploadedDocument(field) }) },
  uploadTo: {
    POST: ({ language }, field) => ({
      ...uploadTo(language),
      status: 201,
      schema: plainUploadedDocument(field),
    }),
  },
};

/** The operations of routes by address and method. */
export const CONTENT_OPERATIONS: {
  readonly [name: string]: Readonly<
    Record<
      string,
      { readonly [method in Method]?: (subject: Subject, field: FieldDefinition) => Operation | undefined }
    >
  >;
} = { schema: { schema: { GET: () => ({ schema: { type: 'object' } }) } }, jsonapi: JSONAPI, rest: REST };

/** The fields that `{field}` in an address stands for. */
export const ADDRESS_FIELDS: Readonly<
  Record<
    NonNullable<Address['fields']>,
    (access: QueryAccess, type: ResourceType) => readonly FieldDefinition[]
  >
> = {
  references,
  lists: (access, type) => visibleFields(type, access).filter(({ list }) => list),
  files: fileFields,
  'single-files': (access, type) => fileFields(access, type).filter(({ list }) => !list),
};

function fileFields(access: QueryAccess, type: ResourceType): readonly FieldDefinition[] {
  return visibleFields(type, access).filter(isFileField);
}

const NOTHING: JsonSchema = { type: 'array', maxItems: 0 };

/** References to many entities have more operations than those to one. */
function onlyLists({ list }: FieldDefinition, operation: Operation): Operation | undefined {
  return list ? operation : undefined;
}

function relationshipDocument({ services, access, type }: Subject, { list }: FieldDefinition): JsonSchema {
  const identifier = ref('identifier');
  const included = [type, ...parameters.includedTypes(services, access, type)];
  return schema.documentSchema(list ? array(identifier) : orNull(identifier), included);
}

function deletion({ language }: Subject): Operation {
  return { parameters: [...CHANGED, ...language], actions: ['delete'], refusals: REMOVAL, ...EMPTY };
}

/** Only sites with several languages have translations. */
function translation(
  language: readonly JsonSchema[],
  { parameters: others = [], ...operation }: Operation,
): Operation | undefined {
  const required = language.map((parameter) => ({ ...parameter, required: true }));
  return required.length === 0 ? undefined : { ...operation, parameters: [...others, ...required] };
}

function uploadTo(language: readonly JsonSchema[]): Omit<Operation, 'schema'> {
  return { parameters: [...CHANGED, NAMED_FILE, ...language], file: 'only', ...UPDATE };
}

function linkageChange({ language }: Subject, field: FieldDefinition): Operation {
  return {
    parameters: [...CHANGED, ...language],
    body: schema.sentLinkage(field),
    ...UPDATE,
    ...EMPTY,
  };
}

function plainChange(
  { type: { name }, plainFields, language }: Subject,
  body: 'plain-new' | 'plain-changes',
  headers: readonly JsonSchema[],
): Operation {
  const common = { body: ref(`${name}.${body}`), status: 201, ...UPDATE };
  return {
    ...common,
    parameters: [ID, ...headers, plainFields, ...language],
    schema: `${name}.plain-document`,
  };
}

function listChange({ language }: Subject, field: FieldDefinition): Operation {
  const common = { parameters: [...CHANGED, ...language], status: 201, ...UPDATE };
  return { ...common, body: schema.sentItems(field), schema: schema.plainList(field) };
}

function uploadedDocument({ access }: Subject, field: FieldDefinition): JsonSchema {
  const resource = { attributes: attributesSchema(FILE_TYPE, access), meta: { type: 'object' } };
  const { name: type } = FILE_TYPE;
  const data = isFileRelationship(field) ? resource : { attributes: schema.fileSchema(field) };
  return object({ jsonapi: ref('jsonapi'), data: object({ type: { const: type }, id: TEXT, ...data }) });
}

function plainUploadedDocument(field: FieldDefinition): JsonSchema {
  const links = object({ self: TEXT, entity: TEXT }, ['self']);
  return object({ data: schema.fileSchema(field), meta: ref('plain-meta'), links }, ['data', 'links']);
}
