import {
  anyOf,
  array,
  COUNT,
  type JsonSchema,
  object,
  orNull,
  TEXT,
  TEXT_OR_NULL,
} from '../../core/api/json-schema.ts';
import { FILE_KINDS, FILE_SORTS, FILE_SOURCES } from '../uploads/files-query.ts';
import { ref } from './components.ts';
import { header } from './operation.ts';
import { pathParameter, queryParameter } from './parameters.ts';

export const FILE_NAME = {
  ...header('Content-Disposition', 'The name: `file; filename="harbour.png"`.'),
  required: true,
};
export const FILE_PATH = pathParameter(
  'path',
  '`content/` or `public/`, and the path in that folder. Slashes in it are not encoded.',
  { ...TEXT, minLength: 1 },
);
export const BESIDE = queryParameter(
  'beside',
  'A resource type for the folder of its bundle, or `<type>/<id>` for the folder of an entity. `meta.src` is the path of a file from there.',
  TEXT,
);
export const SORTS = FILE_SORTS.flatMap((name) => [name, `-${name}`]);
export const FILE_FILTERS: readonly JsonSchema[] = [
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
export const FILE = object({
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
      src: { ...TEXT, description: 'With `beside`: the path as its author writes it.' },
      revision: { ...TEXT, description: 'A digest of the bytes, for `If-Match`. Not in lists.' },
    },
    [],
  ),
  links: ref('links'),
});

/** A folder in the folder of the list, with the number of files below it that match. */
export const FOLDER = object({
  id: { ...TEXT, description: 'The URI, such as `content://article`.' },
  name: TEXT,
  count: COUNT,
});

export const FILE_ENTITY = {
  ...orNull(object({ type: TEXT, id: TEXT, translation: TEXT_OR_NULL })),
  description: 'The entity of the file; null for other files, and for files that could not be read.',
};

export const PROBLEM = object({
  file: TEXT,
  line: COUNT,
  column: COUNT,
  severity: { enum: ['error', 'warning'] },
  code: TEXT,
  message: TEXT,
  hint: TEXT_OR_NULL,
  entity: FILE_ENTITY,
});

export const UNCOMMITTED_FILE = object({
  file: TEXT,
  change: { enum: ['added', 'modified', 'deleted'] },
  entity: FILE_ENTITY,
});

export const STATUS = object({
  type: { const: 'status' },
  id: { const: 'status' },
  attributes: object({
    problems: { ...orNull(array(PROBLEM)), description: 'Null for accounts that may not see all content.' },
    uncommitted: {
      ...orNull(array(UNCOMMITTED_FILE)),
      description: 'Files that differ from the last commit; null if the content is not in git.',
    },
    commits: {
      ...orNull({ type: 'object' }),
      description: 'As in the health document, with `obstacles`; null if the server does not commit changes.',
    },
  }),
  meta: object({ counts: object({ errors: COUNT, warnings: COUNT, uncommitted: COUNT }, []) }),
  links: ref('links'),
});

export const CONFLICT_ID = pathParameter('id', 'The id of the conflict.', TEXT);
export const SIDE: JsonSchema = { enum: ['mine', 'theirs'] };
export const RESOLUTION = {
  ...anyOf(SIDE, { type: 'object', additionalProperties: SIDE }),
  description:
    'One side for everything, or for each field. `mine` makes the lost change again. A conflict whose fields are all decided is removed on all servers.',
};

const FRACTION = { type: 'number', minimum: 0, maximum: 1 };
const CROP_ATTRIBUTES = {
  crop: {
    ...orNull(object({ x: FRACTION, y: FRACTION, width: FRACTION, height: FRACTION })),
    description: 'The part that is shown, in fractions of the image.',
  },
  focus: {
    ...orNull(object({ x: FRACTION, y: FRACTION })),
    description: 'The point that stays visible, in fractions of the image.',
  },
  rotation: {
    enum: [0, 90, 180, 270, null],
    description: 'Degrees by which the cropped image is turned, clockwise.',
  },
};
const CROP_ID = { type: { const: 'crop' }, id: { ...TEXT, description: 'The URI of the image.' } };
export const CROP = object({
  ...CROP_ID,
  attributes: object(CROP_ATTRIBUTES),
  meta: object({ problems: { ...array(TEXT), description: 'Why the file with the crop is not used.' } }),
  links: ref('links'),
});
export const CROP_CHANGE = { ...CROP_ID, attributes: { type: 'object', properties: CROP_ATTRIBUTES } };

export const REDIRECT_TYPE = { const: 'redirect' };
export const REDIRECT_ADDRESSES = {
  from: { ...TEXT, description: 'The old address: a path without the base of the site.' },
  to: { ...TEXT, description: 'An entry such as `node--article/moon`, a path, or an https address.' },
};
export const REDIRECT = object({
  type: REDIRECT_TYPE,
  id: TEXT,
  attributes: object({
    ...REDIRECT_ADDRESSES,
    resource: orNull(object({ type: TEXT, id: TEXT })),
    title: { ...TEXT_OR_NULL, description: 'The title of the entry.' },
    address: { ...TEXT_OR_NULL, description: 'The present path of the entry.' },
    problem: {
      ...TEXT_OR_NULL,
      description: '`loop`, `missing` if the entry does not exist, `hidden` if a page has the old address.',
    },
  }),
  links: ref('links'),
});

export const BIN_ID = pathParameter('id', 'The id of the deleted entry.', TEXT);

export const BIN_FILTERS = [
  queryParameter('filter[type]', 'The resource type that the entry had.', TEXT),
  queryParameter('filter[id]', 'The id that the entry had.', TEXT),
];

export const BIN_ATTRIBUTES = {
  title: { ...TEXT_OR_NULL, description: 'Null if you may not see titles.' },
  resource: object({ type: TEXT, id: TEXT }),
  langcode: TEXT,
  translation: { ...TEXT_OR_NULL, description: 'The language, if a translation was deleted.' },
  translations: { ...array(TEXT), description: 'Languages of the translations that were deleted with it.' },
  deleted: TEXT,
  deleted_by: TEXT_OR_NULL,
  references: { ...COUNT, description: 'The references to it when it was deleted.' },
};

export const BIN_ENTRY = {
  type: { const: 'bin-entry' },
  id: TEXT,
  attributes: object(BIN_ATTRIBUTES),
  links: ref('links'),
};

export const SHOWN_BIN_ENTRY = object({
  ...BIN_ENTRY,
  attributes: object({
    ...BIN_ATTRIBUTES,
    source: { ...TEXT_OR_NULL, description: 'The text of the file. Null if you may not see all fields.' },
    problem: { ...TEXT_OR_NULL, description: 'Why the entry cannot be restored.' },
  }),
});

export const TYPE_FILTER = queryParameter('filter[type]', 'A resource type.', TEXT);
export const DRAFT_PATH = [
  pathParameter('type', 'The resource type that the entry will have.', TEXT),
  pathParameter('id', 'The id of the draft. Of a translation, the id of its entry.', TEXT),
];
export const DRAFT_LANGUAGE = queryParameter(
  'langCode',
  'The language, for the draft of a translation.',
  TEXT,
);
export const ONE_DRAFT = [...DRAFT_PATH, DRAFT_LANGUAGE];
export const SOURCE_PATH = pathParameter('file', 'The path of the file in the content folder.', TEXT);

/** A resource of any type. Required fields can be missing. */
export const RESOURCE = object(
  {
    type: TEXT,
    id: TEXT,
    attributes: { type: 'object' },
    relationships: { type: 'object' },
    links: ref('links'),
    meta: { type: 'object' },
  },
  ['type'],
);

export const DRAFT = {
  type: { const: 'draft' },
  id: TEXT,
  attributes: object({
    title: { ...TEXT_OR_NULL, description: 'Null if you may not see titles.' },
    resource: object({
      type: TEXT,
      id: TEXT,
      translation: { ...TEXT_OR_NULL, description: 'The language of a translation.' },
    }),
    author: TEXT_OR_NULL,
    changed: { ...TEXT, format: 'date-time' },
    missing: { ...array(TEXT), description: 'Required fields without a value.' },
    problems: {
      ...array(object({ field: TEXT_OR_NULL, detail: TEXT, code: TEXT }, ['field', 'detail'])),
      description:
        'Other errors. The code `draft/source-missing` says that the source of a translation was deleted.',
    },
  }),
  links: ref('links'),
};

export const SOURCE_ATTRIBUTES = {
  title: TEXT_OR_NULL,
  resource: object({ type: TEXT, id: TEXT_OR_NULL, translation: TEXT_OR_NULL }),
  has_fields: { type: 'boolean', description: 'True if the fields can be read.' },
  problems: array(
    object({
      line: COUNT,
      column: COUNT,
      code: TEXT,
      message: TEXT,
      hint: TEXT_OR_NULL,
      field: { ...TEXT_OR_NULL, description: 'The field that has the error.' },
    }),
  ),
};

export const SOURCE = {
  type: { const: 'source' },
  id: { ...TEXT, description: 'The path of the file in the content folder.' },
  attributes: object(SOURCE_ATTRIBUTES),
  meta: object({ revision: TEXT }),
  links: ref('links'),
};

export const SHOWN_SOURCE = object({
  ...SOURCE,
  attributes: object({ ...SOURCE_ATTRIBUTES, source: { ...TEXT, description: 'The text of the file.' } }),
});

export const CONFLICT = object({
  type: { const: 'conflict' },
  id: TEXT,
  attributes: object({
    kind: {
      enum: ['fields', 'removed-here', 'removed-by-others', 'file'],
      description:
        '`fields`: both sides have changed them. `removed-here`: the lost change removed the entity. `removed-by-others`: it changed an entity that others have removed. `file`: the file is not an entity.',
    },
    title: TEXT_OR_NULL,
    entity: orNull(object({ type: TEXT, id: TEXT, translation: TEXT_OR_NULL })),
    file: { ...TEXT_OR_NULL, description: 'The path of a file that is not an entity.' },
    author: { ...TEXT, description: 'Who made the lost change.' },
    created: { ...TEXT_OR_NULL, format: 'date-time' },
    message: TEXT_OR_NULL,
    commit: { ...TEXT, description: 'A commit beside the branch that has the lost change.' },
    fields: array(
      object({
        name: TEXT,
        mine: { description: 'The value of the lost change.' },
        theirs: { description: 'The value that was on the branch before.' },
        present: { description: 'The value of today.' },
      }),
    ),
  }),
  links: ref('links'),
});
