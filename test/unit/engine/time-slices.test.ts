import { describe, expect, it, vi } from 'vitest';
import { ANONYMOUS } from '../../../integration/core/access/actor.ts';
import type { Entity, ResourceType } from '../../../integration/core/content/model.ts';
import type { FilterNode } from '../../../integration/core/engine/ast.ts';
import { createSlicedEngine } from '../../../integration/core/engine/create-engine.ts';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import { parseQuery } from '../../../integration/core/engine/parse/parse-query.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { createFullText } from '../../../integration/core/engine/text/full-text.ts';
import { readFullText, writeFullText } from '../../../integration/core/engine/text/serialized.ts';
import {
  allSteps,
  checkSlice,
  createTimeSlices,
  onceInSlices,
} from '../../../integration/core/engine/time-slices.ts';
import { sortInSteps } from '../../../integration/core/util/steps.ts';
import { createBody } from '../../support/body.ts';
import { createReadServices } from '../../support/services.ts';
import { bundle, entity, field } from '../api/jsonapi/magazine.ts';

const NOTE = bundle('node--note', [field('word', 'string')]);
const RULES = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };

function spend(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Time slices whose event loop turns are started by the test. */
function manualSlices() {
  const turns: (() => void)[] = [];
  const slices = createTimeSlices((run) => void turns.push(run));
  const runTurn = async (): Promise<void> => {
    turns.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { slices, runTurn, waiting: () => turns.length };
}

const PERSON = bundle('node--person', [field('age', 'integer')]);
const TAG = bundle('node--tag', []);
const PAGE = bundle('node--page', [
  field('author', 'reference', { targets: ['node--person'] }),
  field('about', 'reference', { targets: ['node--person', 'node--tag'] }),
  field('tags', 'reference', { list: true, targets: ['node--tag'] }),
  field('years', 'integer', { list: true }),
]);

describe('time slices', () => {
  it('return the result of short work at once', () => {
    expect(
      createTimeSlices()
        .begin()
        .finish(() => 'done'),
    ).toBe('done');
  });

  it('run one new and one resumed work in each turn of the event loop', async () => {
    const { slices, runTurn } = manualSlices();
    const ran: string[] = [];
    const start = async (name: string) => {
      const work = slices.begin();
      for (let slice = 0; slice < 3; slice += 1) {
        await work.rest();
        ran.push(`${name}${slice}`);
      }
    };
    const all = ['a', 'b', 'c'].map(start);
    const turns: string[][] = [];
    while (ran.length < 9) {
      const before = ran.length;
      await runTurn();
      turns.push(ran.slice(before));
    }
    await Promise.all(all);
    expect(turns.every((turn) => turn.length <= 2)).toBe(true);
    expect(turns.slice(0, 3)).toEqual([['a0'], ['b0', 'a1'], ['c0', 'b1']]);
  });

  it('continue an interrupted attempt, and leave the rest of a turn to other work', async () => {
    const { slices, runTurn, waiting } = manualSlices();
    let progress = 0;
    const result = slices.begin().finish(() => {
      for (; progress < 20; ) {
        spend(2);
        progress += 1;
        checkSlice();
      }
      return progress;
    });
    expect(result).toBeInstanceOf(Promise);
    expect(progress).toBeLessThan(20);
    while (waiting() > 0) await runTurn();
    expect(await result).toBe(20);
  });

  it('shorten the first slice of other work in the same turn', () => {
    const { slices } = manualSlices();
    const attempt = (): number => {
      let steps = 0;
      void slices.begin().finish(() => {
        for (; steps < 100; ) {
          spend(1);
          steps += 1;
          checkSlice();
        }
      });
      return steps;
    };
    const first = attempt();
    expect(attempt() + attempt() + attempt()).toBeLessThan(first + 4);
  });

  it('stop work when its client disconnects', async () => {
    const { slices, runTurn } = manualSlices();
    const client = new AbortController();
    const resting = slices.begin(client.signal).rest();
    client.abort();
    await Promise.all([runTurn(), expect(resting).rejects.toMatchObject({ reason: 'client-gone' })]);
  });
});

describe('work in steps', () => {
  it('runs once, over several attempts', async () => {
    const { slices, runTurn, waiting } = manualSlices();
    let steps = 0;
    const result = onceInSlices(
      (function* () {
        for (; steps < 20; steps += 1) {
          spend(1);
          yield;
        }
        return 'done';
      })(),
    );
    const finished = slices.begin().finish(() => result() + result());
    expect(finished).toBeInstanceOf(Promise);
    while (waiting() > 0) await runTurn();
    expect(await finished).toBe('donedone');
    expect(steps).toBe(20);
  });
});

describe('sorting in steps', () => {
  it('is stable and equals Array.sort', () => {
    const items = Array.from({ length: 5000 }, (_, at) => ({ key: (at * 7919) % 613, at }));
    const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
    expect(allSteps(sortInSteps(items, compare))).toEqual([...items].sort(compare));
    expect(allSteps(sortInSteps([], compare))).toEqual([]);
  });
});

/** Notes with bodies that take a millisecond to read. */
function slowNotes(count: number, onRead: () => void): readonly Entity[] {
  return Array.from({ length: count }, (_, at) => {
    const body = createBody(at % 2 === 0 ? 'even' : 'odd');
    const source = {
      read(start: number, length: number) {
        spend(1);
        onRead();
        return body.file.source.read(start, length);
      },
    };
    const id = `n${String(at).padStart(4, '0')}`;
    return {
      ...entity('node--note', id, { word: `w${(at * 7919) % count}` }),
      body: { ...body, file: { ...body.file, source } },
    };
  });
}

describe('a long query', () => {
  it.each([
    ['changes nothing', () => undefined],
    ['changes, adds and removes notes', change],
  ])('lets other work run, and returns the result for content that %s', async (_, edit) => {
    const store = createEntityStore({ locale: 'en' });
    let reads = 0;
    store.load(
      [NOTE],
      slowNotes(60, () => reads++),
    );
    const services = createReadServices(store);
    const { slices, runTurn, waiting } = manualSlices();
    const engine = createSlicedEngine(store, null, DEFAULT_LIMITS, slices);
    const query = parseQuery(
      'sort=-word&filter[body.value][operator]=CONTAINS&filter[body.value][value]=even&page[limit]=0&facetBy[word][limit]=5&facetBy[title][operator]=or',
      'collection',
      RULES,
    );
    const access = services.access(ANONYMOUS);
    const result = engine.run(NOTE, query, access);
    let turns = 0;
    for (; waiting() > 0; turns += 1) {
      const before = reads;
      await runTurn();
      // A slice lasts 5 ms, and each read takes at least 1 ms.
      expect(reads - before).toBeLessThan(10);
      if (turns === 1) edit(store);
    }
    expect(turns).toBeGreaterThan(3);
    const scratch = createEntityStore({ locale: 'en' });
    scratch.load([NOTE], store.entities(NOTE.name));
    expect(await result).toEqual(await createSlicedEngine(scratch, null).run(NOTE, query, access));
  });

  it('builds a column in slices while the content changes', async () => {
    const store = createEntityStore({ locale: 'en' });
    const count = 30_000;
    const note = (at: number) =>
      entity('node--note', `n${String(at).padStart(5, '0')}`, { word: `w${(at * 7919) % count}` });
    store.load(
      [NOTE],
      Array.from({ length: count }, (_, at) => note(at)),
    );
    const services = createReadServices(store);
    const { slices, runTurn, waiting } = manualSlices();
    const engine = createSlicedEngine(store, null, DEFAULT_LIMITS, slices);
    const query = parseQuery('sort=word&facetBy[word][limit]=5', 'collection', RULES);
    const access = services.access(ANONYMOUS);
    const result = engine.run(NOTE, query, access);
    for (let turns = 0; waiting() > 0; turns += 1) {
      await runTurn();
      if (turns === 1) change(store);
    }
    const scratch = createEntityStore({ locale: 'en' });
    scratch.load([NOTE], store.entities(NOTE.name));
    expect(await result).toEqual(await createSlicedEngine(scratch, null).run(NOTE, query, access));
  });

  it('searches in slices, with and without a prebuilt index, while the content changes', async () => {
    const store = createEntityStore({ locale: 'en' });
    const note = (at: number) =>
      entity('node--note', `n${String(at).padStart(5, '0')}`, { word: `word w${at % 700}` });
    store.load(
      [NOTE],
      Array.from({ length: 20_000 }, (_, at) => note(at)),
    );
    const access = createReadServices(store).access(ANONYMOUS);
    const query = parseQuery('filter[fulltext]=word', 'collection', RULES);
    const built = createFullText({ store, language: 'en' });
    const text = writeFullText(await built.serialize());
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(text.length / 5);
    for (const prebuilt of [undefined, async () => readFullText(text) ?? null]) {
      const { slices, runTurn, waiting } = manualSlices();
      const fullText = createFullText({ store, language: 'en', slices, ...(prebuilt && { prebuilt }) });
      const result = createSlicedEngine(store, fullText, DEFAULT_LIMITS, slices).run(NOTE, query, access);
      await new Promise((resolve) => setTimeout(resolve));
      let turns = 0;
      for (; waiting() > 0; turns += 1) {
        await runTurn();
        if (turns < 3) store.put({ ...note(turns * 50), revision: `r${turns}` });
      }
      expect(turns).toBeGreaterThan(3);
      const fresh = createSlicedEngine(store, createFullText({ store, language: 'en' }));
      expect(await result).toEqual(await fresh.run(NOTE, query, access));
    }
  });
});

function change(store: ReturnType<typeof createEntityStore>): void {
  const notes = store.entities(NOTE.name);
  const [first, second, third] = [notes[3]!, notes[4]!, notes[40]!];
  store.put({ ...first, values: { ...first.values, word: 'changed' }, body: createBody('even') });
  store.remove(NOTE.name, second.id);
  store.put({ ...third, body: createBody('odd, not the other') });
  store.put(entity('node--note', 'n0003x', { word: 'added' }, { body: 'even' }));
  store.put(entity('node--note', 'zz', { word: 'aa' }, { body: 'even' }));
}

describe('a query whose slices end after every step', () => {
  const store = createEntityStore({ locale: 'en' });
  const jane = { type: 'node--person', id: 'jane' };
  const sea = { type: 'node--tag', id: 'sea' };
  store.load(
    [PAGE, PERSON, TAG],
    [
      entity('node--person', 'jane', { title: 'Jane', age: 40 }),
      entity('node--tag', 'sea', { title: 'Sea' }),
      entity('node--page', 'a', { title: 'A', author: jane, about: sea, tags: [sea], years: [2, 1] }),
      entity('node--page', 'b', { title: 'B', author: jane, about: jane, tags: [], years: [1] }),
    ],
  );

  const SEARCHES = [
    'facetBy=author,tags,about',
    'facetBy=author.title,tags.title',
    'facetBy=about.title',
    'facetBy=about.age,years',
    'facetBy[author][operator]=or&filter[author.id]=jane',
    'sort=author.title,tags.title',
    'sort=about.age',
    'sort=years.0,-author.age',
    'sort=about.title&filter[author.age]=40',
    'filter[author.title][operator]=CONTAINS&filter[author.title][value]=an',
  ];
  const PUBLISHED: FilterNode = { kind: 'condition', path: 'status', operator: '=', value: true };
  const POLICIES = [
    ['everything', null],
    ['published entities', PUBLISHED],
    ['entities that refer to published content', { ...PUBLISHED, path: 'author.status' }],
  ] as const;

  it.each(SEARCHES.flatMap((search) => POLICIES.map(([name, policy]) => [search, name, policy] as const)))(
    'is finished: %s for an actor who sees %s',
    { timeout: 5000 },
    async (search, _, policy) => {
      let now = 0;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
      let turns = 0;
      const slices = createTimeSlices((run) => {
        if (++turns < 200) setTimeout(run);
      });
      try {
        const engine = createSlicedEngine(store, null, DEFAULT_LIMITS, slices);
        const visibility = (type: ResourceType) => (type === PAGE || policy === PUBLISHED ? policy : null);
        const query = parseQuery(search, 'collection', RULES);
        const result = await engine.run(PAGE, query, { visibility, fieldVisible: () => true });
        expect(result.count).toBe(2);
        expect(turns).toBeGreaterThan(2);
      } finally {
        clock.mockRestore();
      }
    },
  );
});
