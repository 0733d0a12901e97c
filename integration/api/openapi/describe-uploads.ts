import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { JSONAPI_MEDIA_TYPE } from '../../read/document-types.ts';
import { encode } from '../../read/links.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import { type JsonSchema, fieldSchema } from '../jsonapi/resource-schema.ts';
import { ref } from './component-schemas.ts';
import { tagOf } from './document.ts';
import { type PathItem, ID_PARAMETER } from './parameters.ts';
import { ANY_CHANGE, MATCH_HEADERS, STORED } from './refusals.ts';

/** What takes the bytes of files, in both APIs, but for lists of files in plain JSON (see `describe-writes.ts`). */
export function uploadOperations(
  access: QueryAccess,
  type: ResourceType,
  { resource, plain, end }: { readonly resource: string; readonly plain: string; readonly end: string },
): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {};
  const common = { tag: tagOf(type), takesFile: 'only' } as const;
  const jsonApi = { ...common, mediaType: JSONAPI_MEDIA_TYPE, errors: 'jsonapi' } as const;
  const json = { ...common, mediaType: 'application/json', errors: 'plain', status: 201 } as const;
  for (const field of fileFields(access, type)) {
    const label = `${type.name}-${field.name}`;
    const name = encode(field.name);
    const beside = { parameters: [ID_PARAMETER, FILE_NAME, ...MATCH_HEADERS], refusals: STORED };
    const ahead = { parameters: [FILE_NAME], refusals: ANY_CHANGE };
    const summary = `Store a file for ${field.name} of one ${type.name}`;
    const collection = resource.replace(/\/\{id\}$/, '');
    paths[`${collection}/${name}${end}`] = {
      post: {
        ...jsonApi,
        ...ahead,
        id: `upload-${label}`,
        summary: `${summary} that is to come`,
        status: 201,
        schema: uploadedDocument(field),
      },
    };
    paths[`${resource}/${name}${end}`] = {
      post: {
        ...jsonApi,
        ...beside,
        id: `upload-to-${label}`,
        summary: `${summary}, which names it then`,
        schema: uploadedDocument(field),
      },
    };
    paths[`${plain}/${name}${end}`] = {
      post: {
        ...json,
        ...ahead,
        id: `upload-plain-${label}`,
        summary: `${summary} that is to come`,
        schema: plainUploadedDocument(field),
      },
    };
    if (field.list) continue;
    paths[`${plain}/{id}/${name}${end}`] = {
      post: {
        ...json,
        ...beside,
        id: `upload-plain-to-${label}`,
        summary: `${summary}, which names it then`,
        schema: plainUploadedDocument(field),
      },
    };
  }
  return paths;
}

/** The answer to an upload in plain JSON. */
export function plainUploadedDocument(field: FieldDefinition): JsonSchema {
  return {
    type: 'object',
    required: ['data', 'links'],
    properties: {
      data: fileSchema(field),
      meta: ref('plain-meta'),
      links: {
        type: 'object',
        required: ['self'],
        properties: { self: TEXT, entity: TEXT },
      },
    },
  };
}

/** Whether the field takes files. */
export function isFileField({ kind }: FieldDefinition): boolean {
  return kind === 'image' || kind === 'file';
}

function fileFields(access: QueryAccess, type: ResourceType): readonly FieldDefinition[] {
  return visibleFields(type, access).filter(isFileField);
}

/** The header that names a file. */
export const FILE_NAME: JsonSchema = {
  name: 'Content-Disposition',
  in: 'header',
  required: true,
  description: 'The name of the file: `file; filename="harbour.png"`.',
  schema: { type: 'string' },
};

const TEXT: JsonSchema = { type: 'string' };

function uploadedDocument(field: FieldDefinition): JsonSchema {
  return {
    type: 'object',
    required: ['jsonapi', 'data'],
    properties: {
      jsonapi: ref('jsonapi'),
      data: {
        type: 'object',
        required: ['type', 'id', 'attributes'],
        properties: { type: { const: 'file--file' }, id: TEXT, attributes: fileSchema(field) },
      },
    },
  };
}

/** One file, as the field answers it; rules about lists do not hold. */
function fileSchema(field: FieldDefinition): JsonSchema {
  const { rules: _, ...one } = field;
  return fieldSchema({ ...one, list: false, required: true });
}
