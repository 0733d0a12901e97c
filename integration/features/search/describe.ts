import { type DescribeRoutes, listOf, listParameter, queryParameter } from '../../core/api/description.ts';
import { array, COUNT, type JsonSchema, object, TEXT } from '../../core/api/json-schema.ts';

/** What OpenAPI says about suggestions. */
export const describeSearch: DescribeRoutes = () => ({
  suggest: {
    tag: { name: 'search', description: 'Suggestions for a search box while a visitor types.' },
    operations: {
      GET: {
        texts: ['suggest', 'Suggest entities and words for a search'],
        parameters: [
          {
            ...queryParameter('searchWords', 'The typed words. The last word can be incomplete.', TEXT),
            required: true,
          },
          listParameter('resourceTypes', 'The resource types of entities. Default: all.'),
          queryParameter('maxEntries', 'The maximum number of entities. Default: 8.', {
            type: 'integer',
            minimum: 1,
            maximum: 20,
          }),
          'language',
        ],
        schema: SUGGESTIONS,
      },
    },
  },
});

const RANGES: JsonSchema = {
  ...array(array({ type: 'integer' })),
  description: 'Start and end of each match in the text, in UTF-16 code units.',
};

const SUGGESTIONS = listOf(
  object({
    type: TEXT,
    id: TEXT,
    meta: {
      ...object({ text: TEXT, ranges: RANGES, path: TEXT, langcode: TEXT }),
      required: ['text', 'ranges', 'langcode'],
      description: 'The title with its matches, and the path of the page.',
    },
  }),
  {
    count: COUNT,
    completions: { ...array(TEXT), description: 'The search with its last word completed.' },
    search: {
      ...array({ type: 'object' }),
      description:
        'What each word matched: `exact`, `replaced`, `completed`, `corrected`, `none` or `ignored`.',
    },
  },
);
