import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { type ApiRequest, addressOf, type ContentHandler } from '../../core/api/request.ts';
import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { LANGUAGE_PARAMETER, rejectParameters } from '../../core/engine/parse/parse-query.ts';
import { lastValue, parseQueryString } from '../../core/engine/parse/query-string.ts';
import { type Clause, parseClauses, stopWordsIn } from '../../core/engine/text/clauses.ts';
import { loadSiteTerms, type SearchLanguages } from '../../core/engine/text/languages.ts';
import { positionedWords } from '../../core/engine/text/positioned-words.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { searchableText } from '../../core/engine/text/searchable-text.ts';
import { exactTerms, tolerantTerms, Vocabulary } from '../../core/engine/text/vocabulary.ts';
import { INVISIBLE, type SiteTerms } from '../../core/engine/text/words.ts';
import { writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { BadParameterError, UnauthorizedError } from '../../core/util/errors.ts';
import { EXCERPTS_SEGMENT } from './routes.ts';

/** Characters of an excerpt, and of what stands before its first match. */
const LENGTH = 160;
const BEFORE = 50;

/** The places of the words of a tolerant search in an entity. */
export interface Excerpt {
  /** Name of the field. */
  readonly field: string;
  readonly text: string;
  /** The matches in the text: start and end in UTF-16 code units. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/**
 * `GET /jsonapi/_excerpts?searchWords=tide&entryIds=node--article/moon,node--tag/sea`, for accounts: the passages with the
 * words in each entity that the actor may see, if the words are not only in its title.
 */
export function createExcerpts(languages: SearchLanguages | null): ContentHandler {
  let loading: Promise<SiteTerms> | undefined;
  return {
    async answer(request) {
      checkJsonApiAccept(request.headers.get('accept'));
      const { services, access, actor, work } = request;
      if (actor.name === null) throw new UnauthorizedError('Sign in to see where content has words.');
      const { text, ids, language } = readQuery(request);
      if (languages === null) throw new BadParameterError(WORDS, 'Full-text search is off on this site.');
      loading ??= loadSiteTerms(languages);
      const terms = await loading;
      const data = [];
      for (const name of ids) {
        // A long text takes milliseconds.
        const pause = work.pause();
        if (pause !== undefined) await pause;
        const slash = name.indexOf('/');
        const type = services.store.types.get(name.slice(0, slash));
        if (type === undefined) continue;
        const versions = await services.engine.translations(type.name, name.slice(slash + 1), access);
        const entity = versions.find((each) => languageOf(each) === language) ?? versions[0];
        const excerpt = entity && excerptOf(entity, type, text, terms, access);
        if (excerpt !== undefined) data.push({ type: type.name, id: entity?.id, meta: { ...excerpt } });
      }
      const self = { href: `${addressOf(request, EXCERPTS_SEGMENT)}?${request.target.query}` };
      return { ...writeJson({ jsonapi: JSONAPI_MEMBER, data, links: { self } }), headers: NOT_STORED };
    },
  };
}

/** The text around the first match, in the field that has most of the words. */
export function excerptOf(
  entity: Entity,
  type: ResourceType,
  search: string,
  terms: SiteTerms,
  access: QueryAccess,
): Excerpt | undefined {
  let best: (Excerpt & { readonly found: number }) | undefined;
  const fields = searchableFields(type).filter(({ name }) => access.fieldVisible(type, name));
  const clauses = parseClauses(
    search,
    fields.map(({ name }) => name),
    stopWordsIn(terms, access),
  );
  for (const field of fields) {
    if (field.name === 'title') continue;
    const text = plainText(searchableText(entity, field));
    const searched = clauses.filter((clause) => (clause.field ?? field.name) === field.name);
    const { ranges, found } = matchesIn(text, searched, terms, languageOf(entity));
    if (found > (best?.found ?? 0)) best = { field: field.name, found, ...around(text, ranges) };
  }
  if (best === undefined) return undefined;
  const { field, text, ranges } = best;
  return { field, text, ranges };
}

/** The words of a text that a search finds, and how many of the searched words these are. */
function matchesIn(text: string, clauses: readonly Clause[], terms: SiteTerms, language: string) {
  const { termOf } = terms.of(language);
  const places = positionedWords(text).map(({ word, ...place }) => ({ ...place, term: termOf(word) }));
  const vocabulary = new Vocabulary();
  for (const { term } of places) vocabulary.add(term);
  const like = clauses.flatMap(({ words }) => {
    const termsOf = words.isTolerant ? tolerantTerms(words, terms, vocabulary) : exactTerms(terms);
    return words.required.map((word) => new Map(termsOf(word)));
  });
  const present = new Set(places.map(({ term }) => term));
  const ranges: [start: number, end: number][] = [];
  for (const { term, start, end } of places) {
    if (!like.some((each) => each.has(term))) continue;
    const last = ranges.at(-1);
    // Adjacent ones of scripts without spaces are one.
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return {
    ranges,
    found: like.filter((each) => [...each.keys()].some((term) => present.has(term))).length,
  };
}

function around(text: string, ranges: Excerpt['ranges']): Pick<Excerpt, 'text' | 'ranges'> {
  const [first = 0] = ranges[0] ?? [];
  const start = first <= BEFORE ? 0 : wordStart(text, first - BEFORE);
  const end = text.length - start <= LENGTH ? text.length : wordStart(text, start + LENGTH);
  const lead = start > 0 ? '… ' : '';
  return {
    text: lead + text.slice(start, end).trimEnd() + (end < text.length ? ' …' : ''),
    ranges: ranges
      .filter(([from]) => from >= start && from < end)
      .map(([from, to]) => [from - start + lead.length, Math.min(to, end) - start + lead.length] as const),
  };
}

/** The start of the word at a place. Scripts without spaces are cut at a character. */
function wordStart(text: string, place: number): number {
  const space = text.lastIndexOf(' ', place);
  if (place - space <= BEFORE) return space + 1;
  return /[\udc00-\udfff]/.test(text[place] ?? '') ? place - 1 : place;
}

/** Without most marks of Markdown and line breaks. */
function plainText(markdown: string): string {
  return markdown
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(MARKS, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?])/g, '')
    .trim();
}

function readQuery({ target, services, access }: ApiRequest) {
  const { searchWords, entryIds, langCode, ...others } = parseQueryString(
    target.query,
    services.settings.limits,
  );
  rejectParameters(others, [WORDS, IDS, LANGUAGE_PARAMETER]);
  const text = lastValue(searchWords) ?? '';
  const names = [...services.store.types.values()].flatMap((type) =>
    searchableFields(type).flatMap(({ name }) => (access.fieldVisible(type, name) ? [name] : [])),
  );
  const count = parseClauses(text, names).reduce((sum, { words }) => sum + words.required.length, 0);
  if (count === 0) throw new BadParameterError(WORDS, `Send words: ${WORDS}=spring tide.`);
  const ids = (lastValue(entryIds) ?? '').split(',');
  const { limits, pageSize } = services.settings;
  if (count > limits.searchWords) {
    throw new BadParameterError(WORDS, `A search takes at most ${limits.searchWords} words.`);
  }
  if (ids.length > pageSize.max) throw new BadParameterError(IDS, `Send at most ${pageSize.max} entries.`);
  return { text, ids, language: lastValue(langCode) };
}

const WORDS = 'searchWords';
const IDS = 'entryIds';
const MARKS = /[#>*_~`|[\]]+/g;
const NOT_STORED = { 'cache-control': 'private, no-cache' };
