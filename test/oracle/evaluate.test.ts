import { describe, expect, it } from 'vitest';
import type { Entity, FieldValue } from '../../integration/core/content/model.ts';
import type { Condition, FilterNode, Group } from '../../integration/core/engine/ast.ts';
import { idsOf } from '../support/ids-of.ts';
import { SEES_ALL, SEES_PUBLISHED } from './access.ts';
import { evaluate } from './evaluate.ts';
import type { Dataset } from './items.ts';
import { TYPES } from './schema.ts';

const tag = (id: string) => ({ type: 'node--tag', id });
const person = (id: string) => ({ type: 'node--person', id });

const CONTENT: Dataset = {
  locale: 'en',
  types: TYPES,
  entities: [
    entity('article', 'both', {
      title: 'Ｒue',
      field_tags: [tag('red'), tag('heavy')],
      field_words: ['one', 'two'],
      field_price: '9.26',
      field_author: person('ada'),
      field_links: [
        { title: 'x', weight: 1 },
        { title: 'y', weight: 2 },
      ],
      created: '2024-01-07T13:00:00+01:00',
    }),
    entity('article', 'one', {
      title: 'RUE',
      field_tags: [tag('redheavy')],
      field_price: '10.5',
      field_rating: 3,
    }),
    entity('article', 'none', { title: 'Ä', field_rating: 10, created: '2024-01-07T12:00:01+00:00' }),
    entity('article', 'hidden-target', {
      title: 'a',
      field_tags: [tag('secret')],
      field_author: person('gone'),
    }),
    entity('article', 'draft', { title: 'b', status: false, field_tags: [tag('secret'), tag('red')] }),
    entity('person', 'ada', { title: 'Ada', field_boss: person('ada') }),
    entity('tag', 'red', { title: 'red', field_weight: 1 }),
    entity('tag', 'heavy', { title: 'heavy', field_weight: 9 }),
    entity('tag', 'redheavy', { title: 'red', field_weight: 9 }),
    entity('tag', 'secret', { title: 'secret', field_weight: 9, status: false }),
  ],
};

const RED = where('field_tags.title', '=', 'red');
const HEAVY = where('field_tags.field_weight', '=', 9);

/** What each filter finds for an actor who sees everything, worked out by hand, in order of id. */
const CASES: readonly (readonly [string, FilterNode, readonly string[]])[] = [
  ['one item matches both conditions of an AND group', and(RED, HEAVY), ['one']],
  ['each nested group has its own item', and(and(RED), and(HEAVY)), ['both', 'draft', 'one']],
  ['any item matches an OR group', or(RED, HEAVY), ['both', 'draft', 'hidden-target', 'one']],
  ['a delta selects one item', and(where('field_tags.0.title', '=', 'red'), HEAVY), ['both', 'one']],
  [
    '<> matches some item that differs',
    where('field_tags.title', '<>', 'red'),
    ['both', 'draft', 'hidden-target'],
  ],
  ['below an empty list is null', where('field_tags.title', 'IS NULL', null), ['none']],
  ['an absent delta is null', where('field_tags.1.title', 'IS NULL', null), ['hidden-target', 'none', 'one']],
  ['a dangling reference is stored', where('field_author', 'IS NOT NULL', null), ['both', 'hidden-target']],
  ['a dangling reference has no target', where('field_author.id', 'IS NOT NULL', null), ['both']],
  ['references chain', where('field_author.field_boss.field_boss.title', '=', 'ADA'), ['both']],
  ['NOT IN does not match null', where('field_rating', 'NOT IN', [3]), ['none']],
  ['accents count, case and width do not', where('title', '=', 'rue'), ['both', 'one']],
  ['ä is not a', where('title', '=', 'a'), ['hidden-target']],
  ['CONTAINS compares letters', where('title', 'CONTAINS', 'rU'), ['one']],
  ['decomposed is composed', where('title', 'STARTS_WITH', 'a\u0308'), ['none']],
  [
    'every text contains the empty string',
    where('title', 'ENDS_WITH', ''),
    ['both', 'draft', 'hidden-target', 'none', 'one'],
  ],
  ['decimals compare as numbers', where('field_price', '<', '9.3'), ['both']],
  ['decimals are equal regardless of trailing zeros', where('field_price', '=', '9.260'), ['both']],
  ['numbers compare as numbers', where('field_rating', '=', '03'), ['one']],
  ['date-times are instants', where('created', '=', '2024-01-07T12:00:00Z'), ['both']],
  ['created accepts Unix seconds', where('created', '>', 1704628800), ['none']],
  [
    'a day is its midnight in UTC',
    where('created', 'BETWEEN', ['2024-01-07', '2024-01-08']),
    ['both', 'none'],
  ],
  [
    'properties of one object',
    and(where('field_links.title', '=', 'x'), where('field_links.weight', '=', 2)),
    [],
  ],
  ['scalars of one list', and(where('field_words', '=', 'one'), where('field_words', '=', 'two')), []],
  [
    'an empty list of scalars',
    where('field_words', 'IS NULL', null),
    ['draft', 'hidden-target', 'none', 'one'],
  ],
  ['ids are exact', where('id', 'IN', ['BOTH', 'one']), ['one']],
];

describe('the oracle', () => {
  it.each(CASES)('%s', (_name, node, ids) => {
    const result = ask({ filter: and(node) });
    expect({ ids: idsOf(result), count: result.count }).toEqual({ ids, count: ids.length });
  });

  it('sees only published content, also along paths', () => {
    expect(idsOf(ask({ filter: and(HEAVY), access: SEES_PUBLISHED }))).toEqual(['both', 'one']);
    const empty = and(where('field_tags.title', 'IS NULL', null));
    expect(idsOf(ask({ filter: empty, access: SEES_PUBLISHED }))).toEqual(['hidden-target', 'none']);
    const stored = and(where('field_tags', 'IS NULL', null));
    expect(idsOf(ask({ filter: stored, access: SEES_PUBLISHED }))).toEqual(['none']);
  });

  it.each([
    ['nulls first when ascending', 'field_rating', 'ASC', ['both', 'draft', 'hidden-target', 'one', 'none']],
    ['nulls last when descending', 'field_rating', 'DESC', ['none', 'one', 'both', 'draft', 'hidden-target']],
    ['a list by its smallest', 'field_tags.title', 'ASC', ['none', 'both', 'draft', 'one', 'hidden-target']],
    ['a list by its largest', 'field_tags.title', 'DESC', ['draft', 'hidden-target', 'both', 'one', 'none']],
    ['strings by locale, ties by id', 'title', 'ASC', ['hidden-target', 'none', 'draft', 'both', 'one']],
  ] as const)('sorts %s', (_name, path, direction, ids) => {
    expect(idsOf(ask({ sort: [{ path, direction }] }))).toEqual(ids);
  });

  it('sorts by the locale', () => {
    const sort = [{ path: 'title', direction: 'ASC' }] as const;
    expect(idsOf(ask({ sort, locale: 'sv' }))).toEqual(['hidden-target', 'draft', 'both', 'one', 'none']);
  });

  it('returns a page and the total count', () => {
    const page = ask({ page: { offset: 1, limit: 2 } });
    expect({ ids: idsOf(page), count: page.count }).toEqual({ ids: ['draft', 'hidden-target'], count: 5 });
    expect(ask({ page: { offset: 9, limit: 2 } })).toEqual({ entities: [], count: 5 });
  });
});

function ask({
  filter = and(),
  sort = [] as Parameters<typeof evaluate>[2]['sort'],
  page = { offset: 0, limit: Number.POSITIVE_INFINITY },
  access = SEES_ALL,
  locale = 'en',
}) {
  return evaluate({ ...CONTENT, locale }, 'node--article', { filter, sort, page }, access);
}

function where(path: string, operator: Condition['operator'], value: Condition['value']): Condition {
  return { kind: 'condition', path, operator, value };
}

function and(...members: readonly FilterNode[]): Group {
  return { kind: 'group', conjunction: 'AND', members };
}

function or(...members: readonly FilterNode[]): Group {
  return { kind: 'group', conjunction: 'OR', members };
}

function entity(bundle: string, id: string, given: Readonly<Record<string, FieldValue>>): Entity {
  const type = TYPES.find((candidate) => candidate.bundle === bundle);
  if (!type) throw new Error(`No bundle ${bundle}.`);
  const values = Object.create(null) as Record<string, FieldValue>;
  for (const field of type.fields.values()) values[field.name] = field.list ? [] : null;
  Object.assign(values, { status: true }, given);
  return {
    type: type.name,
    id,
    key: `${bundle}/${id}.md`,
    revision: 'r',
    published: values.status === true,
    values,
    body: null,
  };
}
