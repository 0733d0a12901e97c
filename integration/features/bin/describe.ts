import {
  type DescribeRoutes,
  documentOf,
  listOf,
  pathParameter,
  queryParameter,
  READING_ERRORS,
  ref,
  STORED,
} from '../../core/api/description.ts';
import { array, COUNT, object, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about the bin. */
export const describeBin: DescribeRoutes = () => ({
  bin: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-bin', 'List the deleted entries that you can restore'],
        parameters: [...BIN_FILTERS, 'page'],
        schema: listOf(object(BIN_ENTRY), { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['restore-bin-entries', 'Restore several deleted entries'],
        body: object({ data: array(object({ type: BIN_ENTRY.type, id: TEXT })) }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
  'bin-entry': {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-bin-entry', 'Get one deleted entry with the text of its file'],
        parameters: [BIN_ID],
        schema: documentOf(SHOWN_BIN_ENTRY),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['restore-bin-entry', 'Restore one deleted entry with the references to it'],
        parameters: [BIN_ID],
        status: 204,
        schema: null,
        refusals: STORED,
      },
      DELETE: {
        texts: ['purge-bin-entry', 'Delete one entry for good'],
        parameters: [BIN_ID],
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
});

const TAG = { name: 'bin', description: 'Deleted entries.' };
const BIN_ID = pathParameter('id', 'The id of the deleted entry.', TEXT);
const BIN_FILTERS = [
  queryParameter('filter[type]', 'The resource type that the entry had.', TEXT),
  queryParameter('filter[id]', 'The id that the entry had.', TEXT),
];
const BIN_ATTRIBUTES = {
  title: { ...TEXT_OR_NULL, description: 'Null if you may not see titles.' },
  resource: object({ type: TEXT, id: TEXT }),
  langcode: TEXT,
  translation: { ...TEXT_OR_NULL, description: 'The language, if a translation was deleted.' },
  translations: { ...array(TEXT), description: 'Languages of the translations that were deleted with it.' },
  deleted: TEXT,
  deleted_by: TEXT_OR_NULL,
  references: { ...COUNT, description: 'The references to it when it was deleted.' },
};
const BIN_ENTRY = {
  type: { const: 'bin-entry' },
  id: TEXT,
  attributes: object(BIN_ATTRIBUTES),
  links: ref('links'),
};
const SHOWN_BIN_ENTRY = object({
  ...BIN_ENTRY,
  attributes: object({
    ...BIN_ATTRIBUTES,
    source: { ...TEXT_OR_NULL, description: 'The text of the file. Null if you may not see all fields.' },
    problem: { ...TEXT_OR_NULL, description: 'Why the entry cannot be restored.' },
  }),
});
