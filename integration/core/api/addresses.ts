import { type Method, methodsOf } from './routes.ts';

/** `operationId` and summary by method. `{type}`, `{field}`, `{menu}`, `{index}` and `{view}` stand for names of the content. */
export type Operations = { readonly [method in Method]?: readonly [id: string, summary: string] };

/** One kind of address below a route. Its methods are those of its operations, and HEAD and OPTIONS. */
export interface Address {
  /** OpenAPI's template below the path of a collection: `/{id}/relationships/{field}`. */
  readonly path: string;
  /** The fields that `{field}` stands for. */
  readonly fields?: 'references' | 'lists' | 'files' | 'single-files';
  /** The files of a site without a server: one per resource, or one per page of a collection. */
  readonly files?: 'one' | 'pages';
  readonly operations: Operations;
}

/** The addresses below `/jsonapi/{entity type}/{bundle}`. */
export const JSONAPI_ADDRESSES = {
  collection: {
    path: '',
    files: 'pages',
    operations: { GET: ['list-{type}', 'List {type}'], POST: ['create-{type}', 'Create one {type}'] },
  },
  individual: {
    path: '/{id}',
    files: 'one',
    operations: {
      GET: ['get-{type}', 'Get one {type}'],
      PATCH: ['update-{type}', 'Update one {type}'],
      DELETE: ['delete-{type}', 'Delete one {type}'],
    },
  },
  /** With a language. */
  translation: {
    path: '/{id}',
    operations: { POST: ['translate-{type}', 'Create a translation of one {type}'] },
  },
  related: {
    path: '/{id}/{field}',
    fields: 'references',
    operations: { GET: ['related-{type}-{field}', 'Get the resources in {field} of one {type}'] },
  },
  relationship: {
    path: '/{id}/relationships/{field}',
    fields: 'references',
    operations: {
      GET: ['relationship-{type}-{field}', 'Get the identifiers in {field} of one {type}'],
      POST: ['add-relationship-{type}-{field}', 'Add references to {field} of one {type}'],
      PATCH: ['set-relationship-{type}-{field}', 'Set {field} of one {type}'],
      DELETE: ['remove-relationship-{type}-{field}', 'Remove references from {field} of one {type}'],
    },
  },
  upload: {
    path: '/{field}',
    fields: 'files',
    operations: { POST: ['upload-{type}-{field}', 'Upload a file for {field} of a new {type}'] },
  },
  uploadTo: {
    path: '/{id}/{field}',
    fields: 'files',
    operations: { POST: ['upload-to-{type}-{field}', 'Upload a file to {field} of one {type}'] },
  },
} as const satisfies Readonly<Record<string, Address>>;

/** The addresses below `/api/content/{bundle}`. */
export const REST_ADDRESSES = {
  collection: {
    path: '',
    files: 'pages',
    operations: {
      GET: ['list-plain-{type}', 'List {type} as plain JSON'],
      POST: ['create-plain-{type}', 'Create one {type}'],
    },
  },
  individual: {
    path: '/{id}',
    files: 'one',
    operations: {
      GET: ['get-plain-{type}', 'Get one {type} as plain JSON'],
      PUT: ['replace-plain-{type}', 'Replace one {type}. Fields that are not sent are cleared'],
      PATCH: ['update-plain-{type}', 'Update one {type}'],
      DELETE: ['delete-plain-{type}', 'Delete one {type}'],
    },
  },
  /** With a language. */
  translation: {
    path: '/{id}',
    operations: { POST: ['translate-plain-{type}', 'Create a translation of one {type}'] },
  },
  list: {
    path: '/{id}/{field}',
    fields: 'lists',
    operations: {
      GET: ['list-plain-{type}-{field}', 'Get the items in {field} of one {type} as plain JSON'],
      POST: ['add-plain-{type}-{field}', 'Add items to {field} of one {type}'],
      PUT: ['replace-plain-{type}-{field}', 'Replace {field} of one {type}'],
      DELETE: ['empty-plain-{type}-{field}', 'Clear {field} of one {type}'],
    },
  },
  upload: {
    path: '/{field}',
    fields: 'files',
    operations: { POST: ['upload-plain-{type}-{field}', 'Upload a file for {field} of a new {type}'] },
  },
  uploadTo: {
    path: '/{id}/{field}',
    fields: 'single-files',
    operations: { POST: ['upload-plain-to-{type}-{field}', 'Upload a file to {field} of one {type}'] },
  },
} as const satisfies Readonly<Record<string, Address>>;

/** The kinds of addresses that a route has for each resource type. */
export const ADDRESSES: Readonly<Record<string, Readonly<Record<string, Address>>>> = {
  schema: {
    schema: {
      path: '/resource/schema',
      files: 'one',
      operations: { GET: ['describe-{type}', 'Get the JSON Schema of {type}'] },
    },
  },
  jsonapi: JSONAPI_ADDRESSES,
  rest: REST_ADDRESSES,
};

/** Methods of an address, if the server writes. */
export function methodsAt({ operations }: Address): readonly Method[] {
  return methodsOf({ methods: Object.keys(operations) as Method[] });
}
