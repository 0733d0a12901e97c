import { ANY_FILTER, ref } from '../../core/api/description.ts';
import { anyOf, array, type JsonSchema, object, TEXT } from '../../core/api/json-schema.ts';
import { isFileRelationship } from '../../core/content/file-resource.ts';
import type { FieldDefinition, FieldKind, ResourceType } from '../../core/content/model.ts';
import { OPERANDS, OPERATORS, type OperandKind, type Operator, SEARCH_PATH } from '../../core/engine/ast.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';

/** The conditions of a type: a value or a longer form for each path. Other names have conditions with a path, or groups. */
export function filterSchema({ fulltext }: ApiSettings, access: QueryAccess, type: ResourceType): JsonSchema {
  const paths = visibleFields(type, access).flatMap(filterPaths);
  const search = fulltext === false ? {} : { [SEARCH_PATH]: SEARCH };
  return { ...ANY_FILTER, properties: { ...Object.fromEntries(paths), ...search } };
}

/** The filterable paths of a field, with the schemas of their conditions. */
function filterPaths(field: FieldDefinition): readonly (readonly [string, JsonSchema])[] {
  const { name, kind } = field;
  const id = [`${name}.id`, ref('filter-text')] as const;
  if (kind === 'reference') return [id];
  const parts = Object.values(field.properties);
  if (parts.length === 0) return conditionsAt(name, kind);
  const compared = parts
    .filter((part) => Object.keys(part.properties).length === 0)
    .flatMap((part) => conditionsAt(`${name}.${part.name}`, part.kind));
  return isFileRelationship(field) ? [id, ...compared] : compared;
}

function conditionsAt(path: string, kind: FieldKind): readonly (readonly [string, JsonSchema])[] {
  const schema = SCHEMAS[kind];
  return schema === null ? [] : [[path, ref(schema)]];
}

/** The component schema of conditions on a kind; null if it cannot be compared. */
const SCHEMAS: Readonly<
  Record<FieldKind, 'filter-text' | 'filter-number' | 'filter-boolean' | 'filter-date' | null>
> = {
  string: 'filter-text',
  integer: 'filter-number',
  number: 'filter-number',
  decimal: 'filter-text',
  boolean: 'filter-boolean',
  date: 'filter-text',
  datetime: 'filter-date',
  reference: 'filter-text',
  object: null,
  formatted_text: 'filter-text',
  image: null,
  file: null,
  json: null,
};

const VALUE: JsonSchema = { type: ['string', 'number', 'boolean'] };
const SINGLE = operatorsWith('value', 'text');
const MEMBER_OF = { ...TEXT, description: 'The name of a group.' };

function operatorsWith(...kinds: readonly OperandKind[]): readonly Operator[] {
  return OPERATORS.filter((each) => kinds.includes(OPERANDS[each]));
}

function form(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { ...object(properties, required), additionalProperties: false };
}

/** A search for all text of entities. */
function searches(others: JsonSchema, required: readonly string[]): readonly JsonSchema[] {
  const all = [...required, 'operator', 'value'];
  return [
    {
      ...form({ ...others, operator: { enum: ['SEARCH'] }, value: TEXT, highlight: { enum: ['true'] } }, all),
      description:
        'Words, also parts of words and words with a typo. With `highlight`, `meta.highlights` has the places of the words.',
    },
    {
      ...form({ ...others, operator: { enum: ['RELATED_TO'] }, value: TEXT }, all),
      description: 'The id of an entity. Others have words, tags or references in common with it.',
    },
  ];
}

/** Full-text search, which takes precedence over a field of that name. */
const SEARCH = anyOf(
  {
    type: 'string',
    description:
      'Words that must all occur in the text, in any of their forms. A minus sign excludes a word. Without `sort`, the most relevant results come first.',
  },
  ...searches({}, []),
);

/** A comparison with a value for each kind of operator. */
function comparisons(others: JsonSchema, required: readonly string[]): readonly JsonSchema[] {
  const two = { ...array(VALUE), minItems: 2, maxItems: 2 };
  return [
    form({ ...others, operator: { enum: SINGLE, description: 'By default `=`.' }, value: VALUE }, [
      ...required,
      'value',
    ]),
    form({ ...others, operator: { enum: operatorsWith('list') }, value: anyOf(VALUE, array(VALUE)) }, [
      ...[...required, 'operator', 'value'],
    ]),
    form({ ...others, operator: { enum: operatorsWith('range') }, value: two }, [
      ...required,
      'operator',
      'value',
    ]),
  ];
}

const CONDITION = { path: TEXT, memberOf: MEMBER_OF };

/** The forms of filters. Source: `parseFilter`. */
export const FILTER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  'filter-form': anyOf(ref('filter-comparison'), ref('filter-condition'), ref('filter-group')),
  'filter-comparison': {
    description: '`filter[path][operator]=…&filter[path][value]=…`',
    ...anyOf(...comparisons({ path: { ...TEXT, description: 'By default the name.' } }, [])),
  },
  'filter-condition': {
    description: '`filter[name][condition][path]=…` and its other parts',
    ...form(
      {
        condition: anyOf(
          ...comparisons(CONDITION, ['path']),
          ...searches({ ...CONDITION, path: { enum: [SEARCH_PATH] } }, ['path']),
          form({ ...CONDITION, operator: { enum: operatorsWith('none') } }, ['path', 'operator']),
        ),
      },
      ['condition'],
    ),
  },
  'filter-group': {
    description: '`filter[name][group][conjunction]=OR`. Conditions and groups belong to it by `memberOf`.',
    ...form({ group: form({ conjunction: { enum: ['AND', 'OR'] }, memberOf: MEMBER_OF }, ['conjunction']) }, [
      'group',
    ]),
  },
  'filter-text': anyOf(TEXT, ref('filter-form')),
  'filter-number': anyOf({ type: 'number' }, ref('filter-form')),
  'filter-boolean': anyOf({ enum: [true, false, 1, 0] }, ref('filter-form')),
  'filter-date': {
    description: 'An ISO 8601 date or date-time, or Unix seconds.',
    ...anyOf({ type: ['string', 'integer'] }, ref('filter-form')),
  },
  'filter-any': anyOf(VALUE, ref('filter-form')),
};
