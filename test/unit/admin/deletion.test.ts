import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../admin/src/api/document.ts';
import {
  deletionOf,
  referrerQueries,
  referrersIn,
  replacementTypes,
  stepAt,
  translationsOf,
  uniqueReferrers,
} from '../../../admin/src/model/deletion.ts';
import { SCHEMA } from './example-schema.ts';

const SKY = { type: 'node--tag', id: 'sky' };
const SEA = { type: 'node--tag', id: 'sea' };
const LAND = { type: 'node--tag', id: 'land' };
const MEMBERS = { attributes: {}, links: {} };
const sky: Resource = { ...SKY, ...MEMBERS, relationships: {}, meta: { revision: 's1' } };

function article(relationships: Readonly<Record<string, unknown>>, more: Partial<Resource> = {}): Resource {
  const data = Object.entries(relationships).map(([name, value]) => [name, { data: value }]);
  return {
    ...MEMBERS,
    type: 'node--article',
    id: 'moon',
    relationships: Object.fromEntries(data),
    meta: { revision: 'm1' },
    ...more,
  };
}

const operationsOf = (requests: ReturnType<typeof deletionOf>) =>
  requests.flat().map(({ operation }) => operation);

const fields = referrerQueries(SCHEMA, [SKY])[0]?.fields ?? [];

describe('the requests that find referrers', () => {
  it('are one for each bundle with fields that can refer to the entity', () => {
    const queries = referrerQueries(SCHEMA, [SKY]);
    expect(queries.map(({ path }) => path.split('?')[0])).toEqual(['/node/article']);
    const query = new URLSearchParams(queries[0]?.path.split('?')[1]);
    expect(query.get('filter[any][group][conjunction]')).toBe('OR');
    expect(query.get('filter[field_tags][condition][path]')).toBe('field_tags.id');
    expect(query.get('filter[field_source][condition][memberOf]')).toBe('any');
    expect(query.has('filter[field_author][condition][path]')).toBe(false);
    expect(query.has('langCode')).toBe(false);
  });

  it('are one for each language, because each translation has references of its own', () => {
    const queries = referrerQueries({ ...SCHEMA, languages: ['en', 'de'] }, [SKY]);
    const languages = queries.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('langCode'));
    expect(languages).toEqual(['en', 'de']);
  });
});

describe('the referrers in a response', () => {
  it('are those that refer to the type too, and not the entity itself', () => {
    const found = referrersIn(
      [
        article({ field_tags: [SEA, SKY], field_source: { type: 'node--person', id: 'sky' } }),
        article({ field_source: { type: 'node--person', id: 'sky' } }),
        { ...article({ field_tags: [SKY] }), ...SKY },
      ],
      fields,
      [SKY],
    );
    expect(found.map((each) => each.fields.map(({ name }) => name))).toEqual([['field_tags']]);
  });

  it('can get another target that fits all their fields', () => {
    const found = referrersIn([article({ field_tags: [SKY], field_source: SKY })], fields, [SKY]);
    expect(replacementTypes(found)).toEqual(['node--tag']);
    const [sourceOnly] = referrersIn([article({ field_source: SKY })], fields, [SKY]);
    expect(replacementTypes(sourceOnly ? [sourceOnly] : [])).toEqual(['node--person', 'node--tag']);
  });
});

describe('the operations of a deletion', () => {
  const referrers = referrersIn([article({ field_tags: [SEA, SKY, LAND], field_source: SKY })], fields, [
    SKY,
  ]);
  const changeOf = (replacement?: typeof SEA) => operationsOf(deletionOf([sky], referrers, replacement))[0];

  it('remove the references, then the translations, then the source', () => {
    const meta = { revision: 's1', translations: { en: {}, de: {}, fr: {} } };
    const attributes = { langcode: 'en' };
    const source = { ...sky, attributes, meta };
    expect(translationsOf(source)).toEqual(['de', 'fr']);
    expect(operationsOf(deletionOf([source], referrers))).toEqual([
      {
        op: 'update',
        data: {
          type: 'node--article',
          id: 'moon',
          relationships: { field_tags: { data: [SEA, LAND] }, field_source: { data: null } },
        },
        meta: { ifMatch: 'm1' },
      },
      { op: 'remove', ref: SKY, meta: { langCode: 'de' } },
      { op: 'remove', ref: SKY, meta: { langCode: 'fr' } },
      { op: 'remove', ref: SKY, meta: { ifMatch: 's1' } },
    ]);
  });

  it('put another entity in the same place, and only once', () => {
    const other = { type: 'node--tag', id: 'night' };
    expect(changeOf(other)).toMatchObject({
      data: { relationships: { field_tags: { data: [SEA, other, LAND] }, field_source: { data: other } } },
    });
    expect(changeOf(LAND)).toMatchObject({
      data: { relationships: { field_tags: { data: [SEA, LAND] }, field_source: { data: LAND } } },
    });
  });

  it('of a translation leave the other languages', () => {
    const meta = { revision: 's2', translations: { en: {}, de: {} } };
    const german = { ...sky, attributes: { langcode: 'de' }, meta };
    expect(operationsOf(deletionOf([german]))).toEqual([
      { op: 'remove', ref: SKY, meta: { ifMatch: 's2', langCode: 'de' } },
    ]);
  });

  it('name the referrer and the field of an error', () => {
    const problem = (pointer: string) => ({ status: '422', title: '', detail: '', source: { pointer } });
    const [steps = []] = deletionOf([sky], referrers);
    const nameAt = (pointer: string) => stepAt(problem(pointer), steps)?.field?.name;
    expect(nameAt('/atomic:operations/0/data/relationships/field_tags')).toBe('field_tags');
    expect(nameAt('/atomic:operations/0/meta/ifMatch')).toBe('field_source');
    expect(nameAt('/atomic:operations/1')).toBeUndefined();
    expect(nameAt('/data')).toBeUndefined();
  });

  it('of several entities change a referrer once, and ask for many of them together', () => {
    const sea: Resource = { ...sky, ...SEA, meta: { revision: 'w1' } };
    const both = referrersIn([article({ field_tags: [SEA, SKY, LAND], field_source: SKY })], fields, [
      SKY,
      SEA,
    ]);
    const [first] = both;
    const halves = fields.map((field) => ({ ...first!, fields: [field] }));
    expect(uniqueReferrers(halves)).toEqual([{ ...first, fields }]);
    expect(operationsOf(deletionOf([sky, sea], both))).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({
          relationships: { field_tags: { data: [LAND] }, field_source: { data: null } },
        }),
      }),
      { op: 'remove', ref: SKY, meta: { ifMatch: 's1' } },
      { op: 'remove', ref: SEA, meta: { ifMatch: 'w1' } },
    ]);
    const many = Array.from({ length: 90 }, (_, index) => ({ type: 'node--tag', id: `t${index}` }));
    expect(referrerQueries(SCHEMA, many).length).toBeGreaterThan(1);
  });

  it('remove references among the entities first, if several requests are needed', () => {
    const moon = article({ field_tags: [SKY] });
    const among = referrersIn([moon], fields, [SKY, moon]);
    const one = deletionOf([sky, moon], among, undefined, 2);
    expect(one.map((steps) => steps.length)).toEqual([2]);
    const several = deletionOf([sky, moon], among, undefined, 1).map((steps) => operationsOf([steps]));
    expect(several).toEqual([
      [expect.objectContaining({ op: 'update' })],
      [{ op: 'remove', ref: SKY, meta: { ifMatch: 's1' } }],
      // Its revision is another one after the change.
      [{ op: 'remove', ref: { type: 'node--article', id: 'moon' }, meta: {} }],
    ]);
  });
});
