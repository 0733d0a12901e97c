import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyText, type Entity } from '../../../../integration/core/content/model.ts';
import type { FilterNode, Group } from '../../../../integration/core/engine/ast.ts';
import { createSlicedEngine } from '../../../../integration/core/engine/create-engine.ts';
import type { QueryAccess } from '../../../../integration/core/engine/engine.ts';
import {
  createEntityStore,
  type IndexedStore,
  type MutableEntityStore,
} from '../../../../integration/core/engine/store/entity-store.ts';
import { allRows, listRows } from '../../../../integration/core/engine/store/row-set.ts';
import { createFullText, type FullText } from '../../../../integration/core/engine/text/full-text.ts';
import { readFullText, writeFullText } from '../../../../integration/core/engine/text/serialized.ts';
import { TextIndex } from '../../../../integration/core/engine/text/text-index.ts';
import { createSiteTerms, createTerms, parseSearch } from '../../../../integration/core/engine/text/words.ts';
import { SEES_ALL } from '../../../oracle/access.ts';
import { runs } from '../../../oracle/runs.ts';
import { idsOf } from '../../../support/ids-of.ts';
import { bundle, entity, field } from '../../api/jsonapi/magazine.ts';

const TYPE = bundle('node--note', [field('words', 'string', { list: true }), field('rating', 'integer')]);
const SEES_PUBLISHED: QueryAccess = {
  visibility: () => PUBLISHED,
  fieldVisible: (_, name) => name !== 'words',
};
const PUBLISHED: FilterNode = { kind: 'condition', path: '@published', operator: '=', value: true };
const EVERYTHING = { offset: 0, limit: Number.POSITIVE_INFINITY };
/** No word is a form of another, so equal stems are equal words. */
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'zeta'] as const;

it('finds the same entities as a scan of every word', () =>
  fc.assert(
    fc.asyncProperty(
      contents(),
      fc.array(filter(), { minLength: 3, maxLength: 6 }),
      async (entities, filters) => {
        const engine = searching(createStore(entities)).engine;
        for (const asked of filters) {
          for (const access of [SEES_ALL, SEES_PUBLISHED]) {
            const expected = entities
              .filter(({ published }) => access === SEES_ALL || published)
              .filter((each) => holds(asked, each, access === SEES_ALL))
              .map(({ id }) => id)
              .sort();
            const all = await engine.run(TYPE, { filter: asked, sort: [], page: EVERYTHING }, access);
            expect(idsOf(all).sort(), JSON.stringify(asked)).toEqual(expected);
            expect(all.count).toBe(expected.length);
            const page = { offset: 1, limit: 2 };
            const some = await engine.run(TYPE, { filter: asked, sort: [], page }, access);
            expect(some).toEqual({ entities: all.entities.slice(1, 3), count: all.count });
            const sort = [{ path: 'id', direction: 'DESC' as const }];
            const sorted = await engine.run(TYPE, { filter: asked, sort, page: EVERYTHING }, access);
            expect(idsOf(sorted)).toEqual([...expected].reverse());
          }
        }
      },
    ),
    runs(100),
  ));

it('returns the same order after changes, from a new index, and from an older prebuilt index', () =>
  fc.assert(
    fc.asyncProperty(
      contents(),
      fc.array(fc.array(note(), { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 }),
      fc.array(filter(), { minLength: 2, maxLength: 4 }),
      async (entities, edits, filters) => {
        const store = createStore(entities);
        const changed = searching(store);
        const before = writeFullText(await changed.fullText.serialize());
        for (const edit of edits) {
          for (const each of edit) {
            if (each.values.rating === 0) store.remove(each.type, each.id);
            else store.put(each);
          }
          const fresh = searching(createStore(store.entities(TYPE.name)));
          const carried = searching(createStore(store.entities(TYPE.name)), before);
          for (const asked of filters) {
            for (const access of [SEES_ALL, SEES_PUBLISHED]) {
              const query = { filter: asked, sort: [], page: EVERYTHING };
              const expected = await fresh.engine.run(TYPE, query, access);
              expect(await changed.engine.run(TYPE, query, access)).toEqual(expected);
              expect(await carried.engine.run(TYPE, query, access)).toEqual(expected);
            }
          }
        }
      },
    ),
    runs(100),
  ));

it('removes old documents after many edits, and finds the same entities', async () => {
  const store = createStore(Array.from({ length: 300 }, (_, i) => noted(`n${i}`, 'alpha')));
  const terms = createSiteTerms([createTerms((word) => word)]);
  const index = new TextIndex(terms);
  const table = store.table(TYPE.name);
  if (table === undefined) throw new Error('There is no table.');
  const find = (text: string) => [
    ...listRows(index.match(parseSearch(text), ['body'], table, allRows(table))),
  ];
  const all = find('alpha');
  for (const word of ['beta', 'gamma']) {
    for (const { id } of [...store.entities(TYPE.name)]) store.put(noted(id, word));
    expect([find('alpha'), find(word)]).toEqual([[], all]);
  }
  expect(index.isFragmented).toBe(true);
  expect([...index.compact()].length).toBeGreaterThan(0);
  expect(index.isFragmented).toBe(false);
  expect([find('alpha'), find('beta'), find('gamma')]).toEqual([[], [], all]);
  const bodies = [...index.serialize()].flatMap(({ field: part }) =>
    part?.name === 'body' ? part.terms : [],
  );
  expect(bodies.map(([term]) => term)).toEqual(['gamma']);
});

function noted(id: string, body: string): Entity {
  return {
    ...entity('node--note', id, { title: id, words: [], rating: 0 }, { body }),
    revision: `r${revision++}`,
  };
}

function searching(store: IndexedStore, carried?: string) {
  const fullText: FullText = createFullText({
    store,
    language: 'en',
    ...(carried !== undefined && {
      prebuilt: async () => readFullText(carried) ?? null,
    }),
  });
  return { fullText, engine: createSlicedEngine(store, fullText) };
}

function createStore(entities: readonly Entity[]): IndexedStore & MutableEntityStore {
  const store = createEntityStore({ locale: 'en' });
  store.load([TYPE], entities);
  return store;
}

function holds(node: FilterNode, each: Entity, hiddenToo: boolean): boolean {
  switch (node.kind) {
    case 'group':
      return node.conjunction === 'AND'
        ? node.members.every((member) => holds(member, each, hiddenToo))
        : node.members.some((member) => holds(member, each, hiddenToo));
    case 'condition':
      return each.values.rating === node.value;
    case 'search': {
      const text = [each.values.title, each.body === null ? '' : bodyText(each.body)];
      if (hiddenToo) text.push(String(each.values.words));
      const words = text.join(' ').split(/\W+/);
      return node.text
        .split(' ')
        .every((word) => (word.startsWith('-') ? !words.includes(word.slice(1)) : words.includes(word)));
    }
    default:
      return node satisfies never;
  }
}

function contents(): fc.Arbitrary<readonly Entity[]> {
  return fc.uniqueArray(note(), { maxLength: 25, selector: ({ id }) => id });
}

let revision = 0;

function note(): fc.Arbitrary<Entity> {
  const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' '));
  return fc
    .record({
      id: fc.integer({ min: 0, max: 30 }).map((number) => `n${number}`),
      title: text,
      body: text,
      words: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
      rating: fc.integer({ min: 0, max: 2 }),
      published: fc.boolean(),
    })
    .map(({ id, title, body, words, rating, published }) => ({
      ...entity('node--note', id, { title, words, rating }, { published, body }),
      revision: `r${revision++}`,
    }));
}

function filter(): fc.Arbitrary<Group> {
  const word = fc
    .tuple(fc.constantFrom('', '', '-'), fc.constantFrom(...WORDS))
    .map(([sign, text]) => sign + text);
  const search = fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((words): FilterNode => ({ kind: 'search', text: words.join(' ') }));
  const rating = fc
    .integer({ min: 0, max: 2 })
    .map((value): FilterNode => ({ kind: 'condition', path: 'rating', operator: '=', value }));
  const either = fc
    .tuple(search, fc.oneof(search, rating))
    .map((members): FilterNode => ({ kind: 'group', conjunction: 'OR', members }));
  return fc
    .array(fc.oneof(search, rating, either), { minLength: 1, maxLength: 3 })
    .map((members): Group => ({ kind: 'group', conjunction: 'AND', members }));
}
