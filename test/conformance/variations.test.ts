import { beforeAll, describe, expect, it } from 'vitest';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler } from '../support/handler.ts';
import { fetchFrom } from '../support/request.ts';
import { loadRecordedContent, type RecordedEntity, shortId } from './load.ts';
import {
  ACTORS,
  articles,
  type Condition,
  compareBy,
  holds,
  isNumber,
  LISTS,
  matches,
  NAMES,
  NULLS,
  type Operator,
  PATHS,
  type Reader,
  SINGLE,
  targetsOf,
} from './rules.ts';

/** The rules in thousands of variations that were not recorded. */
const ARTICLES = '/jsonapi/node/article';
let handle: Handler;
beforeAll(async () => {
  handle = createHandler(await loadRecordedContent());
});

describe.each(ACTORS)('as $as', (reader) => {
  it.each(NAMES)('every operator on %s', async (path) => {
    for (const condition of conditionsOn(path)) {
      const expected = articles.filter(
        (article) => reader.sees(article) && holds(condition, article, reader),
      );
      await expectIds(query([condition]), reader, expected);
    }
  });

  it('two conditions on one list, of one item and of two', async () => {
    for (const [one, other] of pairs()) {
      const [first, second] = [PATHS[one.path], PATHS[other.path]];
      const same = articles.filter((article) => {
        if (!reader.sees(article) || first === undefined || second === undefined) return false;
        const [left, right] = [first.items(article, reader.sees), second.items(article, reader.sees)];
        return left.some(
          (value, index) =>
            matches(one, value, first.kind) && matches(other, right[index] ?? null, second.kind),
        );
      });
      const apart = articles.filter(
        (article) => reader.sees(article) && holds(one, article, reader) && holds(other, article, reader),
      );
      const either = articles.filter(
        (article) => reader.sees(article) && (holds(one, article, reader) || holds(other, article, reader)),
      );
      await expectIds(query([one, other]), reader, same);
      await expectIds(
        `${query([one, other], ['p', 'q'])}&${group('p', 'AND')}&${group('q', 'AND')}`,
        reader,
        apart,
      );
      await expectIds(`${query([one, other], ['p', 'p'])}&${group('p', 'OR')}`, reader, either);
    }
  });

  it.each(NAMES)('sort by %s, both ways, then by number', async (path) => {
    for (const sign of ['', '-']) {
      const seen = articles.filter(reader.sees);
      const expected = seen.sort((a, b) => compareBy(path, sign === '-', a, b, reader) || b.nid - a.nid);
      await expectIds(`sort=${sign}${path},-drupal_internal__nid&page[limit]=0`, reader, expected);
      const direction = sign === '-' ? '&sort[x][direction]=DESC' : '';
      const long = `sort[x][path]=${path}${direction}&sort[y][path]=drupal_internal__nid&sort[y][direction]=desc`;
      await expectIds(`${long}&page[limit]=0`, reader, expected);
      await expectIds(`${long}&page[limit]=7&page[offset]=11`, reader, expected.slice(11, 18));
    }
  });

  it('includes in the order of paths, then of first appearance, without unseen targets', async () => {
    const all = [
      'field_author',
      'field_tags',
      'field_author.field_boss',
      'field_related',
      'field_related.field_tags',
    ];
    for (const [index, one] of all.entries()) {
      for (const paths of [
        [one],
        [one, all[(index + 1) % all.length] ?? ''],
        [one, all[(index + 3) % all.length] ?? ''],
      ]) {
        const seen = articles.filter(reader.sees).slice(20, 40);
        const included = await ask(`include=${paths.join(',')}&page[offset]=20&page[limit]=20`, reader);
        expect(included.ids).toEqual(seen.map(({ uuid }) => shortId(uuid)));
        expect(new Set(included.included)).toEqual(new Set(targetsOf(paths, seen, reader)));
        expect(included.included).toHaveLength(new Set(included.included).size);
      }
    }
  });
});

function conditionsOn(path: string): Condition[] {
  const values = PATHS[path]?.values ?? [];
  const pairsOf = values.map((value, index) => [value, values[(index + 2) % values.length] ?? value]);
  const kind = PATHS[path]?.kind;
  // Strings that are not numbers or dates have no range between them; single comparisons cover them.
  return [
    ...SINGLE.flatMap((operator) => values.map((value) => ({ path, operator, values: [value] }))),
    ...LISTS.flatMap((operator) =>
      pairsOf
        .filter((pair) => kind !== 'number' || pair.every(isNumber) || !operator.includes('BETWEEN'))
        .map((pair) => ({ path, operator, values: pair })),
    ),
    ...NULLS.map((operator) => ({ path, operator, values: [] })),
  ];
}

/** Conditions on the items of one list, on the same and on different properties. */
function pairs(): (readonly [Condition, Condition])[] {
  const on = (path: string, operator: Operator, ...values: string[]): Condition => ({
    path,
    operator,
    values,
  });
  const listed = ['alpha', 'beta', 'gamma', 'delta'].flatMap((one) => [
    [on('field_list', '=', one), on('field_list', '=', 'beta')],
    [on('field_list', '<>', one), on('field_list', 'CONTAINS', 'a')],
    [on('field_list', 'NOT IN', one, 'beta'), on('field_list', 'ENDS_WITH', 'a')],
    [on('field_list', '>', one), on('field_list', 'STARTS_WITH', 'g')],
  ]);
  const joined = ['a', 'e', 's', '1'].flatMap((one) => [
    [on('field_tags.title', 'CONTAINS', one), on('field_tags.title', '<>', 'sports')],
    [on('field_tags.title', 'CONTAINS', one), on('field_tags.title', 'CONTAINS', 's')],
    [on('field_related.title', 'CONTAINS', one), on('field_related.field_rating', '>', '1')],
    [on('field_related.field_rating', 'IS NULL'), on('field_related.title', 'CONTAINS', one)],
    [on('field_words', 'CONTAINS', one), on('field_words', 'NOT IN', 'foo', 'é')],
  ]);
  return [...listed, ...joined].map(([one, other]) => {
    if (one === undefined || other === undefined) throw new Error('A pair is two conditions.');
    return [one, other] as const;
  });
}

function query(conditions: readonly Condition[], groups: readonly string[] = []): string {
  const parts = conditions.flatMap(({ path, operator, values }, index) => {
    const key = `filter[c${index}][condition]`;
    const listed = LISTS.some((each) => each === operator);
    return [
      `${key}[path]=${path}`,
      `${key}[operator]=${encodeURIComponent(operator)}`,
      ...values.map((value, n) => `${key}[value]${listed ? `[${n}]` : ''}=${encodeURIComponent(value)}`),
      ...(groups[index] === undefined ? [] : [`${key}[memberOf]=${groups[index]}`]),
    ];
  });
  return [...parts, 'page[limit]=0'].join('&');
}

function group(name: string, conjunction: 'AND' | 'OR'): string {
  return `filter[${name}][group][conjunction]=${conjunction}`;
}

async function expectIds(query: string, reader: Reader, expected: readonly RecordedEntity[]): Promise<void> {
  expect((await ask(query, reader)).ids, query).toEqual(expected.map(({ uuid }) => shortId(uuid)));
}

async function ask(query: string, { actor }: Reader): Promise<{ ids: string[]; included: string[] }> {
  const response = await fetchFrom(handle, `${ARTICLES}?${query}&fields[node--article]=`, { actor });
  const { data, included = [], errors }: Answer = await response.json();
  expect(errors, query).toBeUndefined();
  const short = (resources: Answer['data']) => resources.map(({ id }) => shortId(id));
  return { ids: short(data), included: short(included) };
}

interface Answer {
  readonly data: readonly { readonly id: string }[];
  readonly included?: Answer['data'];
  readonly errors?: unknown;
}
