import type { Field, Schema } from '../../../admin/src/api/schema.ts';
import { OPERATORS } from '../../../integration/core/engine/ast.ts';

function field(name: string, kind: Field['kind'], more: Partial<Field> = {}): Field {
  return { name, kind, list: false, targets: [], properties: [], required: false, ...more };
}

const BASE = [
  field('title', 'string'),
  field('status', 'boolean'),
  field('changed', 'datetime'),
  field('path', 'object', { properties: [field('alias', 'string')] }),
  field('body', 'formatted_text', {
    properties: [field('value', 'string'), field('format', 'string'), field('processed', 'string')],
  }),
];

/** Articles have authors, tags and a polymorphic source; people have bosses. */
export const SCHEMA: Schema = {
  operators: OPERATORS,
  types: [
    {
      name: 'node--article',
      entityType: 'node',
      bundle: 'article',
      count: 3,
      fields: [
        ...BASE,
        field('field_author', 'reference', { targets: ['node--person'] }),
        field('field_day', 'date'),
        field('field_numbers', 'integer', { list: true }),
        field('field_rating', 'integer'),
        field('field_price', 'decimal'),
        field('field_source', 'reference', { targets: ['node--person', 'node--tag'] }),
        field('field_tags', 'reference', { list: true, targets: ['node--tag'] }),
      ],
    },
    {
      name: 'node--person',
      entityType: 'node',
      bundle: 'person',
      count: 2,
      fields: [
        ...BASE,
        field('field_boss', 'reference', { targets: ['node--person'] }),
        field('field_email', 'string'),
      ],
    },
    { name: 'node--tag', entityType: 'node', bundle: 'tag', count: 2, fields: BASE },
    { name: 'taxonomy_term--colour', entityType: 'taxonomy_term', bundle: 'colour', count: 1, fields: BASE },
  ],
  staticQueries: [],
  languages: [],
  limits: { pageSize: 50, operations: 500 },
  fulltext: true,
  writes: true,
  signIn: true,
  mode: 'server',
  base: '',
};
