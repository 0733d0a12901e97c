import type { ResourceType } from '../../content/model.ts';
import { BadParameterError } from '../../util/errors.ts';
import { SEARCH_PATH, type Search } from '../ast.ts';
import { parseClauses, type SearchedFields, stopWordsIn } from '../text/clauses.ts';
import { searchableFields } from '../text/searchable.ts';
import type { SearchRules } from '../text/words.ts';
import { consume, type ResolveContext } from './bind-path.ts';

/**
 * The parts of a search; none for a type of several without searchable fields. Throws BadParameterError for an empty search, too
 * many words, and a type without these fields.
 */
export function resolveSearch(
  type: ResourceType,
  { text, isTolerant = false, isAny = false, fields: requested }: Omit<Search, 'kind'>,
  parameter: string,
  context: ResolveContext,
): readonly SearchedFields[] {
  const { access, peers, search } = context;
  const bad = (detail: string) => new BadParameterError(parameter, detail);
  const all = searchableFields(type).filter(({ name }) => access === null || access.fieldVisible(type, name));
  const rules: SearchRules = search?.() ?? {};
  const stopWords = stopWordsIn(rules, access ?? {});
  const clauses = parseClauses(text, isTolerant ? all.map(({ name }) => name) : null, stopWords);
  const count = clauses.reduce(
    (sum, { words: { required, excluded, phrase } }) =>
      sum + (phrase?.words.length ?? required.length + excluded.length),
    0,
  );
  if (count === 0) throw bad(`A search needs a word: filter[${SEARCH_PATH}]=words.`);
  consume('searchWords', count, parameter, context);
  const fields = all.filter(({ name }) => requested?.includes(name) ?? true);
  if (fields.length === 0 && peers !== undefined) return [];
  if (fields.length === 0) throw bad(`${type.name} has no searchable fields.`);
  const own = isAny ? undefined : rules.boost?.[type.name];
  const boost = own && access?.fieldVisible(type, own.field) !== false && { boost: own };
  return clauses.map(({ text, words, field }) => {
    const searched = field === undefined ? fields : all.filter(({ name }) => name === field);
    return { text, words: isAny ? { ...words, isAny } : words, fields: searched, ...boost };
  });
}
