import type { JsonApiContext } from '../../core/api/jsonapi/context.ts';
import type { FindDocument } from '../../core/api/request.ts';
import { FILE_TYPE } from '../../core/content/file-resource.ts';
import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import type { Search } from '../../core/engine/ast.ts';
import { LANGUAGE_PARAMETER, rejectParameters } from '../../core/engine/parse/parse-query.ts';
import { lastValue, parseQueryString, wholeNumber } from '../../core/engine/parse/query-string.ts';
import { positionedWords } from '../../core/engine/text/positioned-words.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { searchableText } from '../../core/engine/text/searchable-text.ts';
import { INVISIBLE, parseSearch, type SiteTerms } from '../../core/engine/text/words.ts';
import type { ComposedDocument } from '../../core/read/compose.ts';
import { type Highlight, JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { visibleTitle } from '../../core/read/sparse-fields.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import { describeMatches } from './highlights.ts';
import { shownText } from './html-sections.ts';
import { SUGGEST_SEGMENT } from './routes.ts';

/** Finds `/jsonapi/_suggest`. */
export const findSuggestions: FindDocument = (_, { length }) => (length === 1 ? suggest : undefined);

/**
 * `GET /jsonapi/_suggest?searchWords=spring%20ti`: entities that a tolerant search finds, and completions of the last word. Both
 * come only from what the actor may see: completions are words in titles and other short texts of the found entities.
 */
async function suggest(context: JsonApiContext, query: string): Promise<ComposedDocument> {
  const { services, access, addresses } = context;
  const { text, types, limit } = readQuery(context, query);
  const path = addresses.entry().replace(/\/?$/, (end) => `/${SUGGEST_SEGMENT}${end}`);
  const links = { self: { href: `${path}?${query}` } };
  const { required } = parseSearch(text);
  const terms = await services.searchTerms?.();
  if (terms === undefined) throw new BadParameterError(WORDS, 'Full-text search is off on this site.');
  if (required.length === 0 || types.length === 0) {
    return { jsonapi: JSONAPI_MEMBER, data: [], meta: NOTHING, links };
  }
  const find = (more: Partial<Search>) => {
    const member: Search = { kind: 'search', text, isTolerant: true, parameter: WORDS, ...more };
    const filter = { kind: 'group', conjunction: 'AND', members: [member] } as const;
    return services.engine.run(types, { filter, sort: [], page: { offset: 0, limit } }, access);
  };
  // Bodies have a hundred times as many words, so they are searched only if nothing else has these.
  const fields = [...new Set(types.flatMap((type) => shortFields(type).map(({ name }) => name)))];
  const short = await find({ fields });
  const isInBodies = short.count === 0;
  const { entities, count } = isInBodies ? await find({}) : short;
  const { search: words, highlights } = await describeMatches(context, text, entities, false);
  // The bodies with these words are not read, so whether one of them is missing is not known.
  const search = isInBodies && count > 0 ? words.filter(({ match }) => match !== 'none') : words;
  const data = entities.map((entity, at) => {
    const type = services.store.types.get(entity.type)!;
    return { type: entity.type, id: entity.id, meta: entryMeta(entity, type, highlights[at]!) };
  });
  const completions = completionsOf(text.normalize('NFC').replace(INVISIBLE, ''), entities, terms);
  return { jsonapi: JSONAPI_MEMBER, data, meta: { count, completions, search }, links };

  function entryMeta(entity: Entity, type: ResourceType, { fields }: Highlight) {
    const title = visibleTitle(access, type, entity)?.normalize('NFC');
    return {
      ...(fields.title ?? { text: title === undefined ? entity.id : shownText(title), ranges: [] }),
      ...(access.fieldVisible(type, 'path') && { path: services.settings.base + sitePath(type, entity) }),
      langcode: languageOf(entity),
    };
  }

  /** The search with its last word completed, the words of most entities first. */
  function completionsOf(typed: string, found: readonly Entity[], { of }: SiteTerms): readonly string[] {
    const last = positionedWords(typed).at(-1);
    if (last === undefined || last.end < typed.trimEnd().length || typed.endsWith(' ')) return [];
    const counts = new Map<string, number>();
    for (const entity of found) {
      const { lettersOf } = of(languageOf(entity));
      const letters = lettersOf(last.word);
      const words = shortWords(entity).filter((word) => word !== last.word);
      for (const word of new Set(words)) {
        if (lettersOf(word).startsWith(letters)) counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
    const frequent = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return frequent.slice(0, MAX_COMPLETIONS).map(([word]) => typed.slice(0, last.start) + word);
  }

  /** The words of a visible title and of other texts that are not a body. */
  function shortWords(entity: Entity): readonly string[] {
    const type = services.store.types.get(entity.type)!;
    return shortFields(type)
      .filter(({ name }) => access.fieldVisible(type, name))
      .flatMap((field) =>
        positionedWords(shownText(searchableText(entity, field).normalize('NFC'))).map(({ word }) => word),
      );
  }
}

/** The title, and other searchable fields that are not a body. */
function shortFields(type: ResourceType) {
  return searchableFields(type).filter(({ definition }) => definition.kind !== 'formatted_text');
}

function readQuery({ services, access }: JsonApiContext, query: string) {
  const { store, settings } = services;
  const { searchWords, resourceTypes, maxEntries, ...others } = parseQueryString(query, settings.limits);
  rejectParameters(others, [WORDS, TYPES, LIMIT, LANGUAGE_PARAMETER]);
  const text = lastValue(searchWords);
  if (text === undefined) throw new BadParameterError(WORDS, `Send words: ${WORDS}=spring ti.`);
  const all = [...store.types.values()].filter(
    // Files have no text, and an engine of their own.
    (type) =>
      type !== FILE_TYPE && access.filterFor('view', type) !== false && searchableFields(type).length > 0,
  );
  const names = lastValue(resourceTypes)?.split(',');
  const unknown = names?.find((name) => all.every((type) => type.name !== name));
  if (unknown !== undefined) {
    throw new BadParameterError(
      TYPES,
      `There is no resource type '${unknown}'. Types: ${all.map(({ name }) => name).join(', ')}.`,
    );
  }
  const limit = wholeNumber(lastValue(maxEntries) ?? String(DEFAULT_ENTRIES), LIMIT, 1);
  if (limit > MAX_ENTRIES) throw new BadParameterError(LIMIT, `Ask for at most ${MAX_ENTRIES} entries.`);
  return { text, types: all.filter(({ name }) => names?.includes(name) ?? true), limit };
}

const WORDS = 'searchWords';
const TYPES = 'resourceTypes';
const LIMIT = 'maxEntries';
const DEFAULT_ENTRIES = 8;
const MAX_ENTRIES = 20;
const MAX_COMPLETIONS = 5;
const NOTHING = { count: 0, completions: [], search: [] };
