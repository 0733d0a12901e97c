import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import { boostScores } from '../../../integration/core/engine/field-boost.ts';
import { optionWarnings } from '../../../integration/core/runtime/terminal.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom } from '../../support/request.ts';
import { openRuntime, type TestSite } from '../../support/services.ts';

const note = (day: string, likes: string, more = '') =>
  `---\ntitle: Tide\n${day && `day: ${day}\n`}${likes && `likes: ${likes}\n`}${more}---\nA spring tide.`;
const FILES = {
  'note/a.md': note('2020-01-01', '0'),
  'note/b.md': note('2024-06-01', '-5'),
  'note/c.md': note('', '12'),
  'note/d.md': note('2024-01-01', ''),
  'note/e.md': note('2024-06-30', '1.5'),
  'note/draft.md': note('2999-01-01', '9000', 'status: false\n'),
};
const TIDE = 'filter[fulltext]=tide';
const BY_DAY = { boost: { note: { field: 'day', halfLifeDays: 90 } } };
const BY_LIKES = { boost: { note: { field: 'likes' } } };

const open = (search: TestSite['search'], site: TestSite = {}) =>
  openRuntime(createMemoryDriver(FILES), undefined, { search, ...site });

async function idsOf(search: TestSite['search'], query = TIDE, site: TestSite = {}) {
  const { services } = await open(search, site);
  const response = await fetchFrom(createHandler(services), `/jsonapi/node/note?${query}`);
  const { data, errors }: { data: { id: string }[]; errors?: unknown } = await response.json();
  expect(errors).toBeUndefined();
  return data.map(({ id }) => id).join(' ');
}

describe('a search in a bundle with a boost', () => {
  test('lists equal texts by date, the newest first', async () => {
    expect(await idsOf({})).toBe('a b c d e');
    expect(await idsOf(BY_DAY)).toBe('e b d a c');
  });

  test('lists equal texts by a number, the greatest first, and numbers below 0 as 0', async () => {
    expect(await idsOf(BY_LIKES)).toBe('c e a b d');
  });

  test('has the same results if its work is interrupted at each point', async () => {
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 100));
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await idsOf(BY_DAY)).toBe('e b d a c');
  });

  test('has the order of a sort, and no boost for related entries', async () => {
    expect(await idsOf(BY_DAY, `${TIDE}&sort=-likes`)).toBe(await idsOf({}, `${TIDE}&sort=-likes`));
    const related = 'filter[fulltext][operator]=RELATED_TO&filter[fulltext][value]=a';
    expect(await idsOf(BY_DAY, related)).toBe('b c d e');
  });

  test('does not depend on a field that the visitor may not see', async () => {
    const roles: Roles = {
      anonymous: {
        permissions: [
          { actions: ['view'], bundles: '*', where: 'published', fields: { view: { except: ['day'] } } },
        ],
      },
    };
    expect(await idsOf(BY_DAY, TIDE, { roles })).toBe('a b c d e');
  });

  test('counts an age from the newest entity that the visitor may see, not from a clock', () => {
    const days = Float64Array.of(20, 10, Number.NaN, 1000);
    const visible = { kind: 'list', rows: Int32Array.of(0, 1, 2), count: 3 } as const;
    const values = days.map((day) => day * 86_400_000);
    const scores = Float64Array.of(1, 1, 1, 0);
    const steps = boostScores(scores, values, { field: 'day', halfLifeDays: 10, weight: 2 }, visible);
    expect([...steps].length).toBeGreaterThan(1);
    expect([...scores]).toEqual([3, 2, 1, 0]);
  });

  test('says at the start that a bundle or its field cannot be used', async () => {
    const warningsOf = async (
      boost: NonNullable<Exclude<TestSite['search'], false | undefined>['boost']>,
    ) => {
      const search = { boost };
      return optionWarnings(await open(search), parseOptions({ search })).filter((text) =>
        text.includes('boost'),
      );
    };
    expect(await warningsOf({ ...BY_DAY.boost })).toEqual([]);
    expect(await warningsOf({ nothing: { field: 'day' }, note: { field: 'day' } })).toEqual([
      'Option search.boost.nothing: the content has no such bundle.',
      'Option search.boost.note: "day" has no numbers; a date needs halfLifeDays.',
    ]);
    expect(await warningsOf({ note: { field: 'title', halfLifeDays: 3 } })).toEqual([
      'Option search.boost.note: "title" has no dates.',
    ]);
  });
});
