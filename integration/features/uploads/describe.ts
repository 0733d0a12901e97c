import {
  ANY_CHANGE,
  type DescribeRoutes,
  documentOf,
  header,
  listOf,
  pathParameter,
  queryParameter,
  READING_ERRORS,
  REMOVAL,
  ref,
  STORED,
} from '../../core/api/description.ts';
import {
  array,
  COUNT,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TEXT_OR_NULL,
} from '../../core/api/json-schema.ts';
import { FILE_KINDS, FILE_SORTS, FILE_SOURCES } from './files-query.ts';

/** What OpenAPI says about the routes of files. */
export const describeFiles: DescribeRoutes = () => ({
  files: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-files', 'List the files that content can use'],
        parameters: [...FILE_FILTERS, BESIDE, 'page'],
        schema: listOf(FILE, { count: COUNT, folders: array(FOLDER) }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['add-file', 'Store a file beside an entity or in the folder of a bundle'],
        parameters: [{ ...BESIDE, required: true }, FILE_NAME],
        file: 'only',
        status: 201,
        schema: documentOf(FILE),
        refusals: ANY_CHANGE,
      },
    },
  },
  file: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-file', 'Get one file with the entities that use it'],
        parameters: [FILE_PATH],
        schema: documentOf(FILE),
        errors: READING_ERRORS,
      },
      PUT: {
        texts: ['replace-file', 'Replace the bytes of one file'],
        parameters: [FILE_PATH, 'if-match'],
        file: 'only',
        schema: documentOf(FILE),
        refusals: STORED,
      },
      PATCH: {
        texts: ['move-file', 'Move or rename one file, or the files of a folder, with their references'],
        parameters: [FILE_PATH, 'if-match'],
        body: object({
          data: object({
            type: { enum: ['file--file', 'file--folder'] },
            id: { ...TEXT, description: 'The URI of the file or the folder.' },
            attributes: object({
              uri: object({ value: { ...TEXT, description: 'The new URI. Its folder need not exist.' } }),
            }),
          }),
        }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
      DELETE: {
        texts: ['delete-file', 'Delete one file that is not used'],
        parameters: [FILE_PATH, 'if-match'],
        status: 204,
        schema: null,
        refusals: REMOVAL,
      },
    },
  },
});

const TAG = { name: 'files', description: 'Images and other files of the content.' };
const FILE_NAME = {
  ...header('Content-Disposition', 'The name: `file; filename="harbour.png"`.'),
  required: true,
};
const FILE_PATH = pathParameter(
  'path',
  '`content/` or `public/`, and the path in that folder. Slashes in it are not encoded.',
  { ...TEXT, minLength: 1 },
);
const BESIDE = queryParameter(
  'beside',
  'A resource type for the folder of its bundle, or `<type>/<id>` for the folder of an entity. `meta.src` is the path of a file from there.',
  TEXT,
);
const SORTS = FILE_SORTS.flatMap((name) => [name, `-${name}`]);
const FILE_FILTERS: readonly JsonSchema[] = [
  queryParameter('search', 'Words in the path, or in an alternative text of a use that you can see.', TEXT),
  queryParameter('filter[source]', 'The folder.', { enum: FILE_SOURCES }),
  queryParameter('filter[kind]', 'The kind of file.', { enum: FILE_KINDS }),
  queryParameter('filter[used]', 'Files that content uses, or does not use.', { enum: ['true', 'false'] }),
  queryParameter(
    'filter[folder]',
    'The URI of a folder, such as `content://article`: the files in it and below it.',
    TEXT,
  ),
  queryParameter('sort', 'By name by default. `used`: by the last change of content that uses the file.', {
    enum: SORTS,
  }),
];
/** Schemas as in fields of files. */
const FILE = object({
  type: { const: 'file--file' },
  id: { ...TEXT, description: 'The URI, such as `content://article/harbour.png`.' },
  attributes: object({
    uri: object({ value: TEXT, url: TEXT }),
    filename: TEXT,
    filemime: TEXT,
    filesize: COUNT,
    width: orNull(COUNT),
    height: orNull(COUNT),
    changed: { ...TEXT_OR_NULL, format: 'date-time' },
  }),
  relationships: object({
    usedBy: object({
      data: array(object({ type: TEXT, id: TEXT, meta: object({ title: TEXT, fields: array(TEXT) }) })),
      meta: object({ count: COUNT }),
    }),
  }),
  meta: object(
    {
      alt: { ...TEXT_OR_NULL, description: 'The alternative text of the last use that you can see.' },
      alts: {
        type: 'object',
        additionalProperties: TEXT,
        description: 'The same of each language, by its code.',
      },
      src: { ...TEXT, description: 'With `beside`: the path as its author writes it.' },
      revision: { ...TEXT, description: 'A digest of the bytes, for `If-Match`. Not in lists.' },
    },
    [],
  ),
  links: ref('links'),
});
/** A folder in the folder of the list, with the number of files below it that match. */
const FOLDER = object({
  id: { ...TEXT, description: 'The URI, such as `content://article`.' },
  name: TEXT,
  count: COUNT,
});
