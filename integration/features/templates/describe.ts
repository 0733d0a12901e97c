import {
  type DescribeRoutes,
  documentOf,
  listOf,
  pathParameter,
  READING_ERRORS,
  REMOVAL,
  ref,
  STORED,
} from '../../core/api/description.ts';
import { COUNT, object, TEXT } from '../../core/api/json-schema.ts';

/** What OpenAPI says about templates. */
export const describeTemplates: DescribeRoutes = () => ({
  templates: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['list-templates', 'List the templates that you can use'],
        schema: listOf(TEMPLATE, { count: COUNT }),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['add-template', 'Add a template'],
        body: object({ data: NEW_TEMPLATE }),
        status: 204,
        schema: null,
        refusals: STORED,
      },
    },
  },
  template: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-template', 'Get one template'],
        parameters: [TEMPLATE_ID],
        schema: documentOf(TEMPLATE),
        errors: READING_ERRORS,
      },
      DELETE: {
        texts: ['remove-template', 'Remove one template'],
        parameters: [TEMPLATE_ID],
        status: 204,
        schema: null,
        refusals: REMOVAL,
      },
    },
  },
});

const TAG = { name: 'templates', description: 'Values with which new entities begin.' };
const TEMPLATE_ID = pathParameter('id', 'The id of the template.', TEXT);
const TEMPLATE_ATTRIBUTES = {
  name: TEXT,
  resource_type: { ...TEXT, description: 'The type of the entities that begin with these values.' },
  attributes: { type: 'object' },
  relationships: { type: 'object' },
};
const NEW_TEMPLATE = object({
  type: { const: 'template' },
  attributes: object(TEMPLATE_ATTRIBUTES, ['name', 'resource_type']),
});
const TEMPLATE = object({
  type: { const: 'template' },
  id: TEXT,
  attributes: object(TEMPLATE_ATTRIBUTES),
  meta: object({ removable: { type: 'boolean' } }),
  links: ref('links'),
});
