import { beforeEach, describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { createPolicy } from '../../../integration/core/access/policy.ts';
import { scheduleOf } from '../../../integration/core/content/decode/publication.ts';
import type { Entity, ResourceType } from '../../../integration/core/content/model.ts';
import type { Condition } from '../../../integration/core/engine/ast.ts';
import { createQueryEngine } from '../../../integration/core/engine/create-engine.ts';
import { createEntityStore } from '../../../integration/core/engine/store/entity-store.ts';
import { idsOf } from '../../support/ids-of.ts';

const EDITOR: Actor = { name: 'ed', roles: ['authenticated'] };

describe('visibility', () => {
  const store = createEntityStore({ locale: 'en' });
  const engine = createQueryEngine(store);
  let clock = Date.parse('2030-01-01T00:00:00Z');
  const policy = createPolicy(store, { now: () => clock });

  beforeEach(() => {
    clock = Date.parse('2030-01-01T00:00:00Z');
    store.load(
      [NOTE],
      [
        note('draft', { published: false }),
        note('early', { publish_on: '2030-06-01T00:00:00+02:00' }),
        note('expired', { unpublish_on: '2029-01-01T00:00:00+00:00' }),
        note('plain', {}),
        note('until-june', { unpublish_on: '2030-06-01T00:00:00+02:00' }),
        note('points-to-draft', { about: 'draft' }),
        note('points-to-plain', { about: 'plain' }),
      ],
    );
  });

  const ids = (actor: Actor, ...members: Condition[]) =>
    idsOf(
      engine.run(NOTE, { filter: { kind: 'group', conjunction: 'AND', members }, ...ALL }, policy(actor)),
    );

  it('includes only content that is published now', () => {
    expect(ids(ANONYMOUS)).toEqual(['plain', 'points-to-draft', 'points-to-plain', 'until-june']);
    expect(ids(EDITOR)).toEqual(ids(ANONYMOUS));
  });

  it('changes at the scheduled instant, without a change of the content', () => {
    expect(ids(ANONYMOUS)).not.toContain('early');
    clock = Date.parse('2030-05-31T21:59:59Z');
    expect(ids(ANONYMOUS)).not.toContain('early');
    expect(ids(ANONYMOUS)).toContain('until-june');
    clock = Date.parse('2030-05-31T22:00:00Z');
    expect(ids(ANONYMOUS)).toContain('early');
    expect(ids(ANONYMOUS)).not.toContain('until-june');
  });

  it('includes everything for an administrator', () => {
    expect(ids(ADMINISTRATOR)).toHaveLength(7);
  });

  it('excludes hidden entities from counts', () => {
    const { count } = engine.run(
      NOTE,
      { filter: EMPTY, ...ALL, page: { offset: 0, limit: 0 } },
      policy(ANONYMOUS),
    );
    expect(count).toBe(4);
  });

  it('cannot be bypassed by a filter, directly or through a reference', () => {
    expect(ids(ANONYMOUS, is('id', 'draft'))).toEqual([]);
    expect(ids(ANONYMOUS, is('about.id', 'draft'))).toEqual([]);
    expect(ids(ANONYMOUS, is('about.title', 'draft'))).toEqual([]);
    expect(ids(ADMINISTRATOR, is('about.title', 'draft'))).toEqual(['points-to-draft']);
  });

  it('treats a path to a hidden target like a path to a missing one', () => {
    const aboutNothing: Condition = {
      kind: 'condition',
      path: 'about.title',
      operator: 'IS NULL',
      value: null,
    };
    expect(ids(ANONYMOUS, aboutNothing)).toEqual(['plain', 'points-to-draft', 'until-june']);
    expect(ids(ADMINISTRATOR, aboutNothing)).not.toContain('points-to-draft');
  });

  it('sorts a hidden target like a missing one', () => {
    const query = {
      filter: EMPTY,
      sort: [{ path: 'about.title', direction: 'ASC' as const }],
      page: ALL.page,
    };
    expect(idsOf(engine.run(NOTE, query, policy(ANONYMOUS))).at(-1)).toBe('points-to-plain');
    expect(idsOf(engine.run(NOTE, query, policy(ADMINISTRATOR))).slice(-2)).toEqual([
      'points-to-draft',
      'points-to-plain',
    ]);
  });

  it('hides the owner from anonymous queries, as if the field did not exist', () => {
    expect(() => ids(ANONYMOUS, is('uid', 'ed'))).toThrow(/no field "uid"/);
    expect(() => ids(ANONYMOUS, is('nope', 'ed'))).toThrow(/no field "nope"/);
    expect(ids(EDITOR, is('uid', 'ed'))).toEqual([]);
  });

  it('rejects the path names of policies in queries', () => {
    expect(() => ids(ANONYMOUS, is('@published', '0'))).toThrow(/no field/);
    expect(() => ids(ADMINISTRATOR, is('@published', '0'))).toThrow(/no field/);
  });
});

const EMPTY = { kind: 'group', conjunction: 'AND', members: [] } as const;
const ALL = { sort: [], page: { offset: 0, limit: Number.POSITIVE_INFINITY } } as const;

function is(path: string, value: string): Condition {
  return { kind: 'condition', path, operator: '=', value };
}

const NOTE: ResourceType = {
  name: 'node--note',
  entityType: 'node',
  bundle: 'note',
  origin: 'schema',
  fields: new Map(
    (
      [
        ['title', 'string'],
        ['uid', 'string'],
        ['publish_on', 'datetime'],
        ['unpublish_on', 'datetime'],
        ['about', 'reference'],
      ] as const
    ).map(([name, kind]) => [
      name,
      {
        name,
        key: name,
        kind,
        list: false,
        required: false,
        base: false,
        targets: kind === 'reference' ? ['node--note'] : [],
        properties: {},
      },
    ]),
  ),
};

function note(
  id: string,
  {
    published = true,
    publish_on = null,
    unpublish_on = null,
    about = null,
  }: Partial<Record<'publish_on' | 'unpublish_on' | 'about', string | null>> & { published?: boolean },
): Entity {
  const reference = about === null ? null : { type: 'node--note', id: about };
  const values = { title: id, uid: null, publish_on, unpublish_on, about: reference };
  const schedule = scheduleOf(values);
  return {
    ...{ type: 'node--note', id, key: `note/${id}.md`, revision: 'r', published, values, body: null },
    ...(schedule && { schedule }),
  };
}
