import { describe, expect, it } from 'vitest';
import type { ApiSettings } from '../../../../integration/core/read/settings.ts';
import { indexProblems } from '../../../../integration/features/drupal/index-problems.ts';
import { defineSchema, reference, z } from '../../../../integration/schema.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { createServices } from '../../../support/services.ts';

const SCHEMA = defineSchema({
  article: { field_tags: z.array(reference('tag')).default([]), field_issue: z.int().nullish() },
  event: { field_place: z.object({ city: z.string() }).nullish(), field_issue: z.string().nullish() },
  tag: { field_color: z.string().nullish() },
});
const BASE = 'title, status, created, changed, langcode, path, uid, body';

async function problemsOf(index: ApiSettings['indexes'][string]): Promise<readonly string[]> {
  const settings = { indexes: { magazine: index } };
  return indexProblems(await createServices(createMemoryDriver({}), SCHEMA, { settings }));
}

describe('an index of the options', () => {
  it.each([
    [{ bundles: ['article'], search: ['title', 'body'], facets: { field_tags: {}, 'field_tags.title': {} } }],
    [
      {
        bundles: ['article', 'node--event'],
        search: ['field_place'],
        facets: { 'field_place.city': {}, uid: {} },
      },
    ],
  ])('fits the content: %j', async (index) => {
    expect(await problemsOf(index)).toEqual([]);
  });

  it.each<[problem: string, index: ApiSettings['indexes'][string], messages: readonly string[]]>([
    [
      'an unknown bundle',
      { bundles: ['artcle', 'event'], facets: {} },
      ['bundles: the content has no bundle "artcle". Did you mean "article"? Valid: article, event, tag.'],
    ],
    [
      'no known bundle',
      { bundles: ['x'], facets: { y: {} } },
      ['bundles: the content has no bundle "x". Valid: article, event, tag.'],
    ],
    [
      'an unknown field',
      { bundles: ['article'], facets: { field_tag: {} } },
      [
        `facets.field_tag: node--article has no field "field_tag". Did you mean "field_tags"? Valid: id, ${BASE}, field_issue, field_tags.`,
      ],
    ],
    [
      'a field that no bundle has',
      { bundles: ['article', 'event'], facets: { field_plase: {} } },
      [
        `facets.field_plase: node--article has no field "field_plase". Valid: id, ${BASE}, field_issue, field_tags. node--event has no field "field_plase". Did you mean "field_place"? Valid: id, ${BASE}, field_issue, field_place.`,
      ],
    ],
    [
      'a path behind a reference',
      { bundles: ['article'], facets: { 'field_tags.field_colour': {} } },
      [
        `facets.field_tags.field_colour: node--tag has no field "field_colour" (in the path field_tags.field_colour). Did you mean "field_color"? Valid: id, ${BASE}, field_color.`,
      ],
    ],
    [
      'values that cannot be counted',
      { bundles: ['event'], facets: { field_place: {} } },
      ['facets.field_place: The values of field_place cannot be counted. Count field_place.city.'],
    ],
    [
      'values of several kinds',
      { bundles: ['article', 'event'], facets: { field_issue: {} } },
      [
        'facets.field_issue: field_issue holds values of several kinds (integer, string), which have no common order.',
      ],
    ],
    [
      'a hidden path of the access rules',
      { bundles: ['article'], facets: { '@published': {} } },
      [expect.stringContaining('has no field "@published"')],
    ],
    [
      'a field that cannot be searched',
      { bundles: ['article'], search: ['title', 'field_issue', 'boody'], facets: {} },
      [
        'search: node--article has no searchable field "field_issue". Valid: title, body.',
        'search: node--article has no searchable field "boody". Did you mean "body"? Valid: title, body.',
      ],
    ],
    [
      'a search of several bundles',
      { bundles: ['article', 'tag'], search: ['field_place'], facets: {} },
      ['search: none of its bundles has a searchable field "field_place". Valid: title, body, field_color.'],
    ],
  ])('is reported with %s', async (_, index, messages) => {
    expect(await problemsOf(index)).toEqual(
      messages.map((message) =>
        typeof message === 'string' ? `Option indexes.magazine.${message}` : message,
      ),
    );
  });
});
