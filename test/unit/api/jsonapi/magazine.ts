import type { Services } from '../../../../integration/core/api/request.ts';
import { BASE_FIELDS } from '../../../../integration/core/content/base-fields.ts';
import { scheduleOf } from '../../../../integration/core/content/decode/publication.ts';
import type {
  Entity,
  FieldDefinition,
  FieldValue,
  ResourceType,
} from '../../../../integration/core/content/model.ts';
import { createEntityStore } from '../../../../integration/core/engine/store/entity-store.ts';
import type { ApiSettings } from '../../../../integration/core/read/settings.ts';
import { createBody } from '../../../support/body.ts';
import { createReadServices } from '../../../support/services.ts';

/** A field of the magazine; a test sets only the relevant properties. */
export function field(
  name: string,
  kind: FieldDefinition['kind'],
  more: Partial<FieldDefinition> = {},
): FieldDefinition {
  return {
    name,
    key: name,
    kind,
    list: false,
    required: false,
    base: false,
    targets: [],
    properties: {},
    ...more,
  };
}

export function bundle(name: string, fields: readonly FieldDefinition[]): ResourceType {
  const [entityType = '', bundleName = ''] = name.split('--');
  const all = [...Object.values(BASE_FIELDS), ...fields];
  const byName = new Map(all.map((each): [string, FieldDefinition] => [each.name, each]));
  return { name, entityType, bundle: bundleName, fields: byName, origin: 'schema' };
}

export function entity(
  type: string,
  id: string,
  values: Readonly<Record<string, FieldValue>>,
  { published = true, body = null }: { readonly published?: boolean; readonly body?: string | null } = {},
): Entity {
  const schedule = scheduleOf(values);
  return {
    type,
    id,
    key: `${type.replace('node--', '')}/${id}.md`,
    revision: `${type}/${id}`,
    values: Object.assign(Object.create(null) as Record<string, FieldValue>, {
      title: id,
      status: published,
      created: '2024-01-01T00:00:00+00:00',
      changed: '2024-01-02T00:00:00+00:00',
      langcode: 'en',
      path: { alias: null },
      uid: 'editor',
      ...values,
    }),
    published,
    ...(schedule && { schedule }),
    body: body === null ? null : createBody(body),
  };
}

const ARTICLE = bundle('node--article', [
  field('field_author', 'reference', { targets: ['node--person'] }),
  field('field_rating', 'integer'),
  field('field_tags', 'reference', { targets: ['node--tag'], list: true }),
  field('field_words', 'string', { list: true }),
]);
const PERSON = bundle('node--person', [field('field_boss', 'reference', { targets: ['node--person'] })]);
const TAG = bundle('node--tag', []);
export const TYPES: readonly ResourceType[] = [ARTICLE, PERSON, TAG];

const person = (id: string): FieldValue => ({ type: 'node--person', id });
const tag = (id: string): FieldValue => ({ type: 'node--tag', id });

/** Four articles (one hidden), three persons (Eve hidden) and two tags; one author and one tag do not exist. */
export const ENTITIES: readonly Entity[] = [
  entity('node--person', 'ada', { title: 'Ada', field_boss: null }),
  entity('node--person', 'bob', { title: 'Bob', field_boss: person('ada') }),
  entity('node--person', 'eve', { title: 'Eve', field_boss: person('ada') }, { published: false }),
  entity('node--tag', 'news', { title: 'News' }),
  entity('node--tag', 'tea', { title: 'Tea' }),
  entity(
    'node--article',
    '2024/first',
    {
      title: 'First',
      field_author: person('bob'),
      field_rating: 3,
      field_tags: [tag('news'), tag('tea')],
      field_words: ['one', 'a,b'],
    },
    { body: '# First' },
  ),
  entity('node--article', 'second', {
    title: 'Second',
    field_author: person('eve'),
    field_rating: null,
    field_tags: [tag('tea'), tag('gone'), tag('tea')],
    field_words: [],
  }),
  entity('node--article', 'third', {
    title: 'Third',
    field_author: person('nobody'),
    field_rating: 5,
    field_tags: [],
    field_words: ['two'],
  }),
  entity(
    'node--article',
    'secret',
    { title: 'Secret', field_author: person('ada'), field_rating: 1, field_tags: [], field_words: [] },
    { published: false },
  ),
];

/** Services for the magazine or the given content. */
export function createMagazine(
  settings: Partial<ApiSettings> = {},
  entities: readonly Entity[] = ENTITIES,
  types: readonly ResourceType[] = TYPES,
): Services {
  const store = createEntityStore({ locale: 'en' });
  store.load(types, entities);
  return createReadServices(store, {
    settings,
    now: () => 0,
    renderBody: async ({ body }) => (body === null ? '' : '<p>rendered</p>'),
  });
}
