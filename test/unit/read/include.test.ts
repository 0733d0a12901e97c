import { describe, expect, it } from 'vitest';
import { answer } from '../../../integration/core/api/jsonapi/answer.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { createReadServices } from '../../support/services.ts';
import { bundle, createMagazine, entity, field } from '../api/jsonapi/magazine.ts';

const NOTE = bundle('node--note', [
  field('about', 'reference', { targets: ['node--note'], list: true }),
  field('also', 'reference', { targets: ['node--note'], list: true }),
]);

/** Notes `n0` to `n<count>`; note `i` refers to the notes with the numbers in `pointsTo(i)`. */
function notes(
  count: number,
  pointsTo: (i: number) => readonly number[],
  published = (_: number) => true,
): Entity[] {
  return Array.from({ length: count }, (_, i) => {
    const about = pointsTo(i).map((target) => ({ type: 'node--note', id: `n${target}` }));
    return entity('node--note', `n${i}`, { about, also: about }, { published: i === 0 || published(i) });
  });
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);
const get = (entities: readonly Entity[], path: string) =>
  answer(createMagazine({}, entities, [NOTE]), `/node/note${path}`);
const refusal = { reason: 'bad-request', source: { parameter: 'include' } };

describe('a document includes', () => {
  const star = (rays: number, published?: () => boolean) =>
    notes(rays + 1, (i) => (i === 0 ? upTo(rays) : []), published);

  it('at most as many entities as the limit', async () => {
    expect((await get(star(DEFAULT_LIMITS.included), '/n0?include=about')).included).toHaveLength(
      DEFAULT_LIMITS.included,
    );
    await expect(get(star(DEFAULT_LIMITS.included + 1), '/n0?include=about')).rejects.toMatchObject({
      ...refusal,
      detail: expect.stringContaining(`more than ${DEFAULT_LIMITS.included} entities`),
    });
    await expect(
      get(star(DEFAULT_LIMITS.included + 1), '?page[limit]=1&include=about'),
    ).rejects.toMatchObject(refusal);
  });

  it('no more than the limit even if they are hidden', () =>
    expect(
      get(
        star(DEFAULT_LIMITS.included + 1, () => false),
        '/n0?include=about',
      ),
    ).rejects.toMatchObject(refusal));

  it('any number of entities on an unlimited page', async () => {
    const document = await get(
      star(DEFAULT_LIMITS.included + 1),
      '?filter[id]=n0&page[limit]=0&include=about',
    );
    expect(document.included).toHaveLength(DEFAULT_LIMITS.included + 1);
  });

  it('the targets of at most as many references as the limit', async () => {
    const each = 500;
    const all = Array.from({ length: each }, (_, i) => i);
    const dense = (more: readonly number[]) =>
      notes(DEFAULT_LIMITS.includeReferences / each, (i) => (i === 0 ? [...all, ...more] : all));
    const path = '?page[limit]=0&fields[node--note]=title&include=about';
    expect((await get(dense([]), path)).data).toHaveLength(DEFAULT_LIMITS.includeReferences / each);
    await expect(get(dense([1]), path)).rejects.toMatchObject({
      ...refusal,
      detail: expect.stringContaining(`more than ${DEFAULT_LIMITS.includeReferences} references`),
    });
    await expect(get(dense([]), `${path},also`)).rejects.toMatchObject(refusal);
    const hidden = notes(
      DEFAULT_LIMITS.includeReferences / each + each + 1,
      () => all,
      (i) => i > each,
    );
    await expect(get(hidden, path)).rejects.toMatchObject(refusal);
  });
});

it('a path beyond a type without content has no references', async () => {
  const lost = field('lost', 'reference', { targets: ['node--nothing'] });
  const services = createMagazine(
    {},
    [entity('node--leaf', 'a', { lost: null })],
    [bundle('node--leaf', [lost])],
  );
  await expect(answer(services, '/node/leaf?include=lost.more')).rejects.toMatchObject({
    ...refusal,
    detail: "'lost.more' cannot be included: its target has no reference 'more'. It has no references.",
  });
});

it('a document includes nothing through a field that the role hides on one of several types', async () => {
  const to = (id: string) => ({ type: 'node--person', id });
  const owner = field('owner', 'reference', { targets: ['node--person'] });
  const target = { targets: ['node--open', 'node--closed'], list: true };
  const types = [
    bundle('node--person', []),
    bundle('node--open', [owner]),
    bundle('node--closed', [owner]),
    bundle('node--list', [field('items', 'reference', target)]),
  ];
  const store = createEntityStore({ locale: 'en' });
  store.load(types, [
    entity('node--person', 'ann', {}),
    entity('node--person', 'bob', {}),
    entity('node--open', 'x', { owner: to('ann') }),
    entity('node--closed', 'y', { owner: to('bob') }),
    entity('node--list', 'all', {
      items: [
        { type: 'node--open', id: 'x' },
        { type: 'node--closed', id: 'y' },
      ],
    }),
  ]);
  const view = { actions: ['view' as const], where: 'published' as const };
  const services = createReadServices(store, {
    roles: {
      anonymous: {
        permissions: [
          { ...view, bundles: ['person', 'open', 'list'] },
          { ...view, bundles: ['closed'], fields: { view: { except: ['owner'] } } },
        ],
      },
    },
    now: () => 0,
    renderBody: async () => '',
  });
  const included = async (path: string) =>
    (await answer(services, path)).included?.map(({ id }) => id).sort();
  expect(await included('/node/list/all?include=items.owner')).toEqual(['ann', 'x', 'y']);
  expect(await included('/node/list?include=items.owner')).toEqual(['ann', 'x', 'y']);
});
