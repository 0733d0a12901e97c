import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import type { Entity } from '../../../../integration/core/content/model.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import { parseQuery } from '../../../../integration/core/engine/parse/parse-query.ts';
import { createBody } from '../../../support/body.ts';
import { idsOf } from '../../../support/ids-of.ts';
import { bundle, createMagazine, entity, field } from '../../api/jsonapi/magazine.ts';

const NOTE = bundle('node--note', [field('about', 'reference', { targets: ['node--note'] })]);
const RULES = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };

async function ask(entities: readonly Entity[], search: string): Promise<readonly string[]> {
  const services = createMagazine({}, entities, [NOTE]);
  const query = parseQuery(search, 'collection', RULES);
  return idsOf(await services.engine.run(NOTE, query, services.access(ANONYMOUS)));
}

function anyOf(count: number, path: string): string {
  const conditions = Array.from(
    { length: count },
    (_, i) =>
      `filter[${i}][condition][path]=${path}&filter[${i}][condition][operator]=CONTAINS&filter[${i}][condition][value]=word${i}.&filter[${i}][condition][memberOf]=any`,
  );
  return ['filter[any][group][conjunction]=OR', ...conditions].join('&');
}

/** A note that counts how often its body is read. */
function counted(id: string, text: string, reads: { count: number }, about: string | null = null): Entity {
  const { file } = createBody(text);
  const reference = about === null ? null : { type: 'node--note', id: about };
  const body = {
    ...createBody(text),
    file: {
      ...file,
      source: {
        read(start: number, length: number) {
          reads.count++;
          return file.source.read(start, length);
        },
      },
    },
  };
  return { ...entity('node--note', id, { about: reference }), body };
}

describe('conditions on bodies', () => {
  it.each(['body.value', 'about.body.value'])('read each body once for any number of %s', async (path) => {
    const readsFor = async (conditions: number): Promise<number> => {
      const reads = { count: 0 };
      const notes = Array.from({ length: 40 }, (_, i) =>
        counted(`n${i}`, `this has word${i}. in it`, reads, `n${i}`),
      );
      expect(await ask(notes, anyOf(conditions, path))).toHaveLength(conditions);
      return reads.count;
    };
    expect(await readsFor(40)).toBeLessThanOrEqual(await readsFor(1));
  });

  it.each(['body.value', 'about.body.value'])('compare %s with a limited number of values', async (path) => {
    const list = (count: number) =>
      [
        `filter[${path}][operator]=IN`,
        ...Array.from({ length: count }, (_, i) => `filter[${path}][value][]=${i}`),
      ].join('&');
    const notes = [entity('node--note', 'a', { about: null }, { body: 'text' })];
    for (const write of [(count: number) => anyOf(count, path), list]) {
      expect(await ask(notes, write(DEFAULT_LIMITS.textComparisons))).toEqual([]);
      await expect(ask(notes, write(DEFAULT_LIMITS.textComparisons + 1))).rejects.toThrow(
        `bodies with ${DEFAULT_LIMITS.textComparisons} values at most`,
      );
    }
  });

  it('that only test for null read no body', async () => {
    const reads = { count: 0 };
    const notes = [counted('a', 'text', reads), entity('node--note', 'b', { about: null })];
    expect(
      await ask(notes, 'filter[x][condition][path]=body.value&filter[x][condition][operator]=IS NULL'),
    ).toEqual(['b']);
    expect(reads.count).toBe(0);
  });

  it.each([
    ['CONTAINS', 'ÉTÉ', ['composed', 'decomposed']],
    ['STARTS_WITH', 'un ', ['composed', 'decomposed']],
    ['ENDS_WITH', 'PLAIN.', ['ascii']],
    ['=', 'ASCII is plain.', ['ascii']],
    ['<>', 'ascii is plain.', ['composed', 'decomposed']],
    ['IN', 'ascii is plain.', ['ascii']],
    ['>', 'b', ['composed', 'decomposed']],
  ])('%s ignores Unicode composition', async (operator, value, ids) => {
    const notes = [
      entity('node--note', 'ascii', { about: null }, { body: 'ASCII is plain.' }),
      entity('node--note', 'composed', { about: null }, { body: 'Un été'.normalize('NFC') }),
      entity('node--note', 'decomposed', { about: null }, { body: 'Un été'.normalize('NFD') }),
      entity('node--note', 'none', { about: null }),
    ];
    const condition = `filter[body.value][operator]=${encodeURIComponent(operator)}&filter[body.value][value]=${encodeURIComponent(value)}`;
    expect(await ask(notes, condition)).toEqual(ids);
  });
});

describe('plans', () => {
  const hidden = (id: string) => entity('node--note', id, { about: null }, { published: false });
  const notes = [
    entity('node--note', 'a', { about: { type: 'node--note', id: 'b' } }),
    entity('node--note', 'b', { about: { type: 'node--note', id: 'x0' } }),
  ];
  const plan = async (actor: typeof ANONYMOUS, entities: readonly Entity[], search: string) => {
    const services = createMagazine({}, entities, [NOTE]);
    const query = parseQuery(search, 'collection', RULES);
    return (await services.engine.explain(NOTE, query, services.access(actor))).plan;
  };
  const search = `sort=-title&filter[about.title][operator]=STARTS_WITH&filter[about.title][value]=b&filter[title][operator]=<>&filter[title][value]=z`;

  it('show estimates and matches to actors who see everything', async () => {
    expect(await plan(ADMINISTRATOR, [...notes, hidden('x0')], search)).toBe(
      [
        'node--note: 1 of 3 rows (a bitmap)',
        '  AND, smallest first (at most 1, found 1)',
        '    join about (at most 1, found 1)',
        '      about.title STARTS_WITH "b" (at most 1, found 1)',
        '    title <> "z" (at most 3, found 3)',
        '  order by title DESC; page 0 to 50 by selecting from the matching rows',
      ].join('\n'),
    );
  });

  it.each([0, 1, 2, 40])('reveal nothing about %i hidden rows to others', async (count) => {
    const unseen = Array.from({ length: count }, (_, i) => hidden(`x${i}`));
    expect(await plan(ANONYMOUS, [...notes, ...unseen], search)).toBe(
      [
        'node--note: 1 of 2 rows',
        '  AND, smallest first (found 1)',
        '    join about (found 1)',
        '      about.title STARTS_WITH "b" (found 1)',
        '    title <> "z" (found 2)',
        '  order by title DESC; page 0 to 50',
      ].join('\n'),
    );
    expect(await plan(ANONYMOUS, [...notes, ...unseen], '')).toBe(
      'node--note: 2 of 2 rows\n  all rows (found 2)\n  order by id ASC; page 0 to 50',
    );
  });
});
