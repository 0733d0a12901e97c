import { type JSONAPIAtomicOperationSerializer, JSONAPISerializers, JSONAPISource } from '@orbit/jsonapi';
import {
  type InitializedRecord,
  type ModelDefinition,
  type RecordIdentity,
  RecordKeyMap,
  type RecordOperation,
  RecordSchema,
} from '@orbit/records';
import { buildSerializerSettingsFor } from '@orbit/serializers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import type { Writable } from './ask.ts';

const SERVER_NAMES_NEW_RECORDS = { remoteId: {} };

/** The application's schema of the bundles. */
function models(keys: NonNullable<ModelDefinition['keys']> = {}): Record<string, ModelDefinition> {
  const attributes = { title: { type: 'string' }, langcode: { type: 'string' } };
  return {
    'node--article': {
      keys,
      attributes: { ...attributes, field_rating: { type: 'number' }, created: { type: 'datetime' } },
      relationships: {
        field_author: { kind: 'hasOne', type: 'node--person' },
        field_tags: { kind: 'hasMany', type: 'node--tag' },
        field_subject: { kind: 'hasOne', type: ['node--person', 'node--tag'] },
      },
    },
    'node--person': {
      keys,
      attributes,
      relationships: { field_boss: { kind: 'hasOne', type: 'node--person' } },
    },
    'node--tag': { keys, attributes },
  };
}

/** Field names without changes, and types as URL paths of the site. */
const settingsByType = {
  [JSONAPISerializers.ResourceTypePath]: {
    serializationOptions: { inflectors: [(type: string) => type.replace('--', '/')] },
  },
  [JSONAPISerializers.ResourceFieldPath]: { serializationOptions: { inflectors: [] } },
};
const relatedById = (field: string) => (field === 'field_author' ? 'field_author.id' : field);

export function testOrbit({ origin, authorization }: Writable): void {
  const connect = (schema: RecordSchema, headers: object, keyMap?: RecordKeyMap, more = {}) =>
    new JSONAPISource({
      schema,
      name: 'site',
      host: origin(),
      namespace: 'jsonapi',
      serializerSettingsFor: buildSerializerSettingsFor({ settingsByType: { ...settingsByType, ...more } }),
      defaultFetchSettings: { headers },
      ...(keyMap && { keyMap }),
    });
  const article = (id: string): RecordIdentity => ({ type: 'node--article', id });
  const person = (id: string): RecordIdentity => ({ type: 'node--person', id });
  const tag = (id: string): RecordIdentity => ({ type: 'node--tag', id });
  /** The error that Orbit throws; its queue then waits until the error is handled. */
  async function failure(source: JSONAPISource, ask: () => Promise<unknown>) {
    const error = await ask().then(
      () => undefined,
      (thrown) => thrown,
    );
    await source.requestQueue.skip();
    return error;
  }

  describe('orbit', () => {
    let source: JSONAPISource;
    beforeAll(() => {
      source = connect(new RecordSchema({ models: models() }), { Authorization: authorization() });
    });
    /** Reads from the server like another reader, not from Orbit's cache. */
    const read = async (id: string): Promise<InitializedRecord> =>
      source.query((q) => q.findRecord(article(id)));
    const related = async (id: string, name: string) => (await read(id)).relationships?.[name]?.data;
    const ids = (data: unknown) => (Array.isArray(data) ? data.map(({ id }) => id) : data);

    it('finds records by attributes, sorted and paginated, with their relationships', async () => {
      const records = await source.query<InitializedRecord[]>((q) =>
        q
          .findRecords('node--article')
          .filter({ attribute: 'field_rating', value: 3 })
          .sort('-title')
          .page({ offset: 0, limit: 2 }),
      );
      expect(ids(records)).toEqual(['a03', 'a23']);
      const tags = await source.query<InitializedRecord[]>((q) =>
        q.findRelatedRecords(article('a10'), 'field_tags'),
      );
      expect(ids(tags)).toEqual(['sea', 'sky']);
    });

    it('finds records by a related one, if the filter uses its id', async () => {
      const ask = (source: JSONAPISource) =>
        source.query<InitializedRecord[]>((q) =>
          q
            .findRecords('node--article')
            .filter({ relation: 'field_author', record: person('ada') })
            .page({ offset: 0, limit: 2 }),
        );
      const refused = await failure(source, () => ask(source));
      expect(refused.data.errors[0].source).toEqual({ parameter: 'filter[field_author]' });
      const serializationOptions = { inflectors: [relatedById] };
      const asking = connect(new RecordSchema({ models: models() }), {}, undefined, {
        [JSONAPISerializers.ResourceFieldParam]: { serializationOptions },
      });
      expect(ids(await ask(asking))).toEqual(['a03', 'a09']);
    });

    it('adds, changes and removes a record with an id of its own', async () => {
      const added = await source.update<InitializedRecord>((t) =>
        t.addRecord({
          ...article('orbit/own'),
          attributes: { title: 'Orbit', field_rating: 3, created: new Date('2026-02-01T10:00:00Z') },
          relationships: { field_author: { data: person('ada') }, field_tags: { data: [tag('sea')] } },
        }),
      );
      expect(added).toMatchObject({ ...article('orbit/own'), attributes: { langcode: 'en' } });
      expect(await read('orbit/own')).toMatchObject({
        attributes: { title: 'Orbit', field_rating: 3, created: new Date('2026-02-01T10:00:00Z') },
        relationships: {
          field_author: { data: person('ada') },
          field_tags: { data: [tag('sea')] },
          field_subject: { data: null },
        },
      });

      await source.update((t) => t.replaceAttribute(article('orbit/own'), 'title', 'Orbits'));
      await source.update((t) =>
        t.updateRecord({ ...article('orbit/own'), attributes: { field_rating: 9, langcode: 'de' } }),
      );
      expect((await read('orbit/own')).attributes).toMatchObject({
        title: 'Orbits',
        field_rating: 9,
        langcode: 'de',
      });

      await source.update((t) => t.removeRecord(article('orbit/own')));
      expect((await failure(source, () => read('orbit/own'))).response.status).toBe(410);
    });

    it('changes related records, one and many', async () => {
      const id = 'orbit-related';
      await source.update((t) => t.addRecord({ ...article(id), attributes: { title: 'Related' } }));

      await source.update((t) => t.addToRelatedRecords(article(id), 'field_tags', tag('sky')));
      await source.update((t) => t.addToRelatedRecords(article(id), 'field_tags', tag('sea')));
      await source.update((t) => t.addToRelatedRecords(article(id), 'field_tags', tag('sea')));
      expect(ids(await related(id, 'field_tags'))).toEqual(['sky', 'sea']);
      await source.update((t) => t.removeFromRelatedRecords(article(id), 'field_tags', tag('sky')));
      expect(ids(await related(id, 'field_tags'))).toEqual(['sea']);
      await source.update((t) => t.replaceRelatedRecords(article(id), 'field_tags', [tag('sky')]));
      expect(ids(await related(id, 'field_tags'))).toEqual(['sky']);
      await source.update((t) => t.replaceRelatedRecords(article(id), 'field_tags', []));
      expect(ids(await related(id, 'field_tags'))).toEqual([]);

      await source.update((t) => t.replaceRelatedRecord(article(id), 'field_author', person('bob')));
      await source.update((t) => t.replaceRelatedRecord(article(id), 'field_subject', tag('sky')));
      expect([await related(id, 'field_author'), await related(id, 'field_subject')]).toEqual([
        person('bob'),
        tag('sky'),
      ]);
      expect(await source.query((q) => q.findRelatedRecord(article(id), 'field_author'))).toMatchObject({
        attributes: { title: 'Bob' },
      });
      await source.update((t) => t.replaceRelatedRecord(article(id), 'field_author', null));
      expect(await related(id, 'field_author')).toBeNull();

      await source.update((t) => t.removeRecord(article(id)));
    });

    it('sends several operations at once, as one request per record', async () => {
      const [added] = await source.update<InitializedRecord[]>((t) => [
        t.addRecord({ ...tag('orbit-tag'), attributes: { title: 'Tag' } }),
        t.addRecord({ ...article('orbit-many'), attributes: { title: 'Many' } }),
        t.addToRelatedRecords(article('orbit-many'), 'field_tags', tag('orbit-tag')),
        t.addToRelatedRecords(article('orbit-many'), 'field_tags', tag('sea')),
        t.replaceAttribute(article('a01'), 'field_rating', 2),
        t.replaceAttribute(article('a01'), 'field_rating', 1),
      ]);
      expect(added).toMatchObject({ id: 'orbit-tag', attributes: { title: 'Tag' } });
      expect(ids(await related('orbit-many', 'field_tags'))).toEqual(['orbit-tag', 'sea']);

      const refused = await failure(source, () => source.update((t) => t.removeRecord(tag('orbit-tag'))));
      expect([refused.response.status, refused.data.errors[0].detail]).toEqual([
        409,
        expect.stringContaining("'orbit-many'"),
      ]);
      await source.update((t) => [t.removeRecord(article('orbit-many')), t.removeRecord(tag('orbit-tag'))]);
    });

    it('makes several changes in one request, with its serializer of atomic operations', async () => {
      const serializer = source.requestProcessor.serializerFor(
        JSONAPISerializers.ResourceAtomicOperation,
      ) as JSONAPIAtomicOperationSerializer;
      const id = 'orbit-atomic';
      const operations: RecordOperation[] = [
        { op: 'addRecord', record: { ...tag('orbit-new'), attributes: { title: 'New' } } },
        {
          op: 'addRecord',
          record: {
            ...article(id),
            attributes: { title: 'Atomic' },
            relationships: { field_author: { data: person('ada') } },
          },
        },
        {
          op: 'addToRelatedRecords',
          record: article(id),
          relationship: 'field_tags',
          relatedRecord: tag('orbit-new'),
        },
        { op: 'updateRecord', record: { ...article(id), attributes: { field_rating: 4 } } },
        {
          op: 'replaceRelatedRecord',
          record: article(id),
          relationship: 'field_author',
          relatedRecord: person('bob'),
        },
      ];
      const perform = (list: readonly RecordOperation[]) =>
        fetch(`${origin()}/jsonapi/operations`, {
          method: 'POST',
          headers: { authorization: authorization(), 'content-type': ATOMIC_MEDIA_TYPE },
          body: JSON.stringify({ 'atomic:operations': list.map((each) => serializer.serialize(each)) }),
        });
      const response = await perform(operations);
      const results = (await response.json())['atomic:results'];
      expect([response.status, results.map((result: { data?: { id: string } }) => result.data?.id)]).toEqual([
        200,
        ['orbit-new', id, undefined, id, undefined],
      ]);
      expect(await read(id)).toMatchObject({
        attributes: { title: 'Atomic', field_rating: 4 },
        relationships: { field_author: { data: person('bob') }, field_tags: { data: [tag('orbit-new')] } },
      });
      const removals: RecordOperation[] = [
        { op: 'removeRecord', record: tag('orbit-new') },
        { op: 'removeRecord', record: article(id) },
      ];
      expect((await perform(removals)).status).toBe(204);
    });

    it('maps the id that the site derives from the title to its own', async () => {
      const schema = new RecordSchema({ models: models(SERVER_NAMES_NEW_RECORDS) });
      const keyMap = new RecordKeyMap();
      const naming = connect(schema, { Authorization: authorization() }, keyMap);
      const added = await naming.update<InitializedRecord>((t) =>
        t.addRecord({ type: 'node--article', attributes: { title: 'Named by its title' } }),
      );
      expect([added.keys?.remoteId, keyMap.idToKey('node--article', 'remoteId', added.id)]).toEqual([
        'named-by-its-title',
        'named-by-its-title',
      ]);
      await naming.update((t) => t.replaceAttribute(added, 'title', 'Renamed'));
      const ada = { type: 'node--person', id: keyMap.keyToId('node--person', 'remoteId', 'ada') };
      expect(ada.id).toBeUndefined();
      const [records] = await naming.query<InitializedRecord[]>((q) =>
        q.findRecords('node--article').filter({ attribute: 'title', value: 'Renamed' }),
      );
      expect([records?.id, records?.keys?.remoteId]).toEqual([added.id, 'named-by-its-title']);
      await naming.update((t) => t.removeRecord(added));
    });

    it('gets the detail and the pointer of an invalid record', async () => {
      const record = { ...article('orbit-wrong'), attributes: { title: '', field_rating: 1.5 } };
      const error = await failure(source, () => source.update((t) => t.addRecord(record)));
      expect([error.response.status, error.data.errors]).toMatchObject([
        422,
        [
          { source: { pointer: '/data/attributes/title' } },
          { source: { pointer: '/data/attributes/field_rating' } },
        ],
      ]);
      expect(await read('orbit-wrong')).toBeUndefined();
    });

    it('gets a 401 for an anonymous write', async () => {
      const nobody = connect(new RecordSchema({ models: models() }), {});
      const error = await failure(nobody, () =>
        nobody.update((t) => t.replaceAttribute(article('a01'), 'title', 'x')),
      );
      expect(error.response.status).toBe(401);
      expect(await nobody.query((q) => q.findRecord(article('a01')))).toMatchObject({
        attributes: { title: 'Article 1' },
      });
    });
  });
}
