import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import type { Scalar } from '../../../../integration/core/engine/ast.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import { parseQuery } from '../../../../integration/core/engine/parse/parse-query.ts';
import { BadParameterError } from '../../../../integration/core/util/errors.ts';
import { defineSchema, reference, z } from '../../../../integration/schema.ts';
import { idsOf } from '../../../support/ids-of.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { createServices } from '../../../support/services.ts';

const schema = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_about: reference(['person', 'place']).nullish(),
    field_price: z.number().nullish(),
    field_at: z.iso.datetime({ offset: true }).nullish(),
    field_steps: z.array(z.object({ title: z.string(), tools: z.array(z.string()) })).default([]),
  },
  person: {
    field_email: z.string().nullish(),
    field_boss: reference('person').nullish(),
    field_age: z.int().nullish(),
  },
  place: { field_lat: z.number().nullish(), field_age: z.string().nullish() },
});

const { store, engine, access } = await createServices(
  createMemoryDriver({
    'article/one.md': [
      '---',
      'field_author: ada',
      'field_about: place/paris',
      'field_price: 3',
      'field_at: 2024-01-07T12:00:01+01:00',
      'field_steps: [{ title: saw, tools: [saw] }]',
      '---',
    ].join('\n'),
    'person/ada.md': '---\nfield_email: ada@example.com\nfield_age: 36\n---',
    'place/paris.md': '---\nfield_lat: 48.9\n---',
  }),
  schema,
);

async function ask(search: string): Promise<readonly string[]> {
  const type = store.types.get('node--article');
  if (type === undefined) throw new Error('The article type is missing.');
  const query = parseQuery(search, 'collection', {
    pageSize: { default: 50, max: 50, unlimited: true },
    limits: DEFAULT_LIMITS,
  });
  const ids = idsOf(await engine.run(type, query, access(ANONYMOUS)));
  return ids;
}

async function refusal(search: string): Promise<BadParameterError> {
  try {
    await ask(search);
  } catch (error) {
    if (error instanceof BadParameterError) return error;
    throw error;
  }
  throw new Error(`${search} was not refused.`);
}

describe('a valid path', () => {
  it.each<[path: string, value: Scalar]>([
    ['field_author.field_email', 'ada@example.com'],
    ['field_author.entity.field_email', 'ada@example.com'],
    ['field_author.meta.drupal_internal__target_id', 'ada'],
    ['field_about.field_lat', '48.90'],
    ['field_steps.title', 'SAW'],
    ['field_steps.0.title', 'saw'],
    ['field_price', '03'],
    ['field_at', '2024-01-07T11:00:01Z'],
    ['field_at', '20240107T120001+0100'],
  ])('%s equals %s', async (path, value) => {
    expect(await ask(`filter[${path}]=${encodeURIComponent(value)}`)).toEqual(['one']);
  });
});

describe('an invalid path is rejected with the valid choices', () => {
  it.each([
    ['filter[titel]=x', 'filter[titel]', 'node--article has no field "titel". Did you mean "title"?'],
    [
      'filter[a][condition][path]=nope&filter[a][condition][value]=1',
      'filter[a][condition][path]',
      'Valid: id, title, status',
    ],
    [
      'filter[field_author.field_mail]=x',
      'filter[field_author.field_mail]',
      'node--person has no field "field_mail"',
    ],
    ['filter[field_author]=ada', 'filter[field_author]', 'field_author.id'],
    ['filter[body]=x', 'filter[body]', 'body.value, body.format, body.summary'],
    ['filter[body.processed]=x', 'filter[body.processed]', 'no property "processed"'],
    ['filter[title.value]=x', 'filter[title.value]', 'no property "value"'],
    ['filter[field_steps.tools]=saw', 'filter[field_steps.tools]', 'a list inside a list of objects'],
    ['filter[uid]=ada', 'filter[uid]', 'has no field "uid"'],
    ['filter[field_about.nope]=x', 'filter[field_about.nope]', 'node--person has no field "nope"'],
    ['filter[field_at]=yesterday', 'filter[field_at]', 'a date such as 2024-01-31T18:00:00+01:00'],
    ['filter[field_at]=2024-02-30', 'filter[field_at]', 'a date such as'],
    ['sort=field_author', 'sort', 'Sort by field_author.id or field_author.title'],
    ['sort=field_about.field_age', 'sort', 'values of several kinds (integer, string)'],
    [`filter[${'field_author.'.repeat(10)}title]=x`, null, '10 members at most'],
  ])('%s', async (search, parameter, part) => {
    const { source, detail } = await refusal(search);
    expect(detail).toContain(part);
    if (parameter !== null) expect(source).toEqual({ parameter });
  });
});

describe('a value that is not a number', () => {
  it.each([
    ['filter[field_price]=abc', []],
    ['filter[field_price][operator]=%3E&filter[field_price][value]=abc', []],
    ['filter[field_price][operator]=%3C%3E&filter[field_price][value]=abc', ['one']],
    [
      'filter[field_price][operator]=IN&filter[field_price][value][]=abc&filter[field_price][value][]=3',
      ['one'],
    ],
  ])('%s', async (search, ids) => {
    expect(await ask(search)).toEqual(ids);
  });
});
