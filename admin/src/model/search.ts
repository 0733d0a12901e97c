import type { Schema } from '../api/schema.ts';

const CONDITION = 'filter[words][condition]';

/**
 * The parameters that find entries by the words of their texts. Servers that write have all words in memory: they find parts of
 * words too, and words with a typo.
 */
export function searchFilter(
  { writes }: Pick<Schema, 'writes'>,
  words: string,
): Readonly<Record<string, string>> {
  if (!writes) return { 'filter[fulltext]': words };
  return {
    [`${CONDITION}[path]`]: 'fulltext',
    [`${CONDITION}[operator]`]: 'SEARCH',
    [`${CONDITION}[value]`]: words,
  };
}

/** The parameters that find entries by a part of their title too. */
export function titleFilter(
  schema: Pick<Schema, 'writes' | 'fulltext'>,
  typed: string,
): Readonly<Record<string, string>> {
  const title = 'filter[title][condition]';
  const named = {
    [`${title}[path]`]: 'title',
    [`${title}[operator]`]: 'CONTAINS',
    [`${title}[value]`]: typed,
  };
  if (!schema.writes || !schema.fulltext || !/[\p{L}\p{N}]/u.test(typed)) return named;
  return {
    'filter[any][group][conjunction]': 'OR',
    ...{ ...named, [`${title}[memberOf]`]: 'any' },
    ...{ ...searchFilter(schema, typed), [`${CONDITION}[memberOf]`]: 'any' },
  };
}
