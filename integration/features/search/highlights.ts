import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import { type Clause, parseClauses, stopWordsIn } from '../../core/engine/text/clauses.ts';
import { positionedWords } from '../../core/engine/text/positioned-words.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { searchableText } from '../../core/engine/text/searchable-text.ts';
import { tolerantTerms, Vocabulary, WEIGHTS } from '../../core/engine/text/vocabulary.ts';
import { foldAccents, isAlone, type Phrase, type SiteTerms } from '../../core/engine/text/words.ts';
import type { Highlight, Passage, SearchedWord, SearchMeta } from '../../core/read/document-types.ts';
import type { MatchContext } from '../../core/read/reader.ts';
import { type HtmlSection, htmlSections, shownText } from './html-sections.ts';

/** Characters of a passage, and of what stands before its first match. */
const LENGTH = 160;
const BEFORE = 40;
/** Passages below headings, and words for a searched one. */
const MAX_SECTIONS = 3;
const MAX_MATCHES = 3;
/** Matches of a text from which the best passage is chosen, and characters that are read of a text. */
const MAX_RANGES = 500;
const MAX_TEXT = 500_000;

/**
 * What a tolerant search has found in the visible text of entities. Depends on nothing but the words and this text.
 * Without `hasBodies`, bodies are not read.
 */
export async function describeMatches(
  context: MatchContext,
  search: string,
  entities: readonly Entity[],
  hasBodies = true,
): Promise<SearchMeta> {
  const { services, access, work } = context;
  const terms = await services.searchTerms?.();
  if (terms === undefined) return { search: [], highlights: [] };
  if (hasBodies) await services.loadBodies?.(entities);
  const vocabulary = new Vocabulary();
  const texts: { readonly entity: Entity; readonly fields: readonly FieldText[] }[] = [];
  for (const entity of entities) {
    const pause = work?.pause();
    if (pause !== undefined) await pause;
    const { termOf } = terms.of(languageOf(entity));
    const fields: FieldText[] = [];
    for (const { name, sections } of await visibleTexts(context, entity, hasBodies)) {
      const read = (text: string): ReadText => {
        const shown = text.normalize('NFC').slice(0, MAX_TEXT);
        const words = positionedWords(shown).map(({ word, ...at }) => ({ ...at, word, term: termOf(word) }));
        for (const { term } of words) vocabulary.add(term);
        return { text: shown, words };
      };
      fields.push({
        name,
        sections: sections.map(({ heading, text }) => ({
          ...read(text),
          heading: heading && { slug: heading.slug, ...read(heading.text) },
        })),
      });
    }
    texts.push({ entity, fields });
  }
  const clauses = parseClauses(search, fieldNames(), stopWordsIn(terms, access));
  const searched = searchedParts(clauses, terms, vocabulary);
  const highlights = texts.map(({ entity, fields }) => highlightOf(entity, fields, searched));
  const all = texts.map(({ fields }) => fields);
  const ignored = clauses.flatMap(({ words }) => words.ignored ?? []);
  return {
    search: [
      ...searched.map((part) => describePart(part, all)),
      ...ignored.map((word) => ({ word, match: 'ignored' as const })),
    ],
    highlights,
  };

  /** The names of visible fields: of the types of the entities, or of all types. */
  function fieldNames(): readonly string[] {
    const { types } = services.store;
    const own = new Set(entities.map(({ type }) => types.get(type) as ResourceType));
    return (own.size > 0 ? [...own] : [...types.values()]).flatMap((type) =>
      searchableFields(type).flatMap(({ name }) => (access.fieldVisible(type, name) ? [name] : [])),
    );
  }
}

/** What a reader sees of the searchable fields of an entity. */
async function visibleTexts(
  { services, access }: MatchContext,
  entity: Entity,
  hasBodies: boolean,
): Promise<readonly { readonly name: string; readonly sections: readonly HtmlSection[] }[]> {
  const type = services.store.types.get(entity.type) as ResourceType;
  const fields = searchableFields(type).filter(({ name }) => access.fieldVisible(type, name));
  const texts = fields.map(async (field) => {
    const { name, definition } = field;
    if (definition.kind !== 'formatted_text')
      return [{ name, sections: [{ text: shownText(searchableText(entity, field)) }] }];
    if (!hasBodies || entity.body === null) return [];
    const summary = shownText(entity.body.summary ?? '');
    const sections = htmlSections(await services.renderBody(entity));
    return [{ name, sections: summary === '' ? sections : [{ text: summary }, ...sections] }];
  });
  return (await Promise.all(texts)).flat();
}

/** A searched word, with the weights of its terms, or a phrase as it was typed. */
interface SearchedPart {
  readonly word: string;
  /** All fields by default. */
  readonly field: string | undefined;
  readonly weights: ReadonlyMap<string, number>;
  readonly phrase?: Phrase;
}

function searchedParts(
  clauses: readonly Clause[],
  terms: SiteTerms,
  vocabulary: Vocabulary,
): readonly SearchedPart[] {
  return clauses.flatMap(({ text, words, field }): readonly SearchedPart[] => {
    const { phrase } = words;
    if (phrase === undefined) {
      const termsOf = tolerantTerms(words, terms, vocabulary);
      return words.required.map((word) => ({ word, field, weights: new Map(termsOf(word)) }));
    }
    const typed = text.slice(text.indexOf('"') + 1, -1).trim();
    return phrase.isExcluded ? [] : [{ word: typed, field, weights: new Map(), phrase }];
  });
}

/** By the place of a word of a text: the weight as a match of a part of the search, or 0. */
function weigher({ weights, phrase }: SearchedPart, words: readonly ReadWord[]): (at: number) => number {
  if (phrase === undefined) return (at) => weights.get(words[at]!.term) ?? 0;
  const alone = [...words.keys()].filter((at) => isAlone(words[at]!.word));
  const searched = phrase.text.trim().split(' ');
  const written = alone.map((at) => foldAccents(words[at]!.word));
  const found = new Set<number>();
  for (
    let from = written.indexOf(searched[0]!);
    from !== -1;
    from = written.indexOf(searched[0]!, from + 1)
  ) {
    if (searched.every((word, i) => written[from + i] === word))
      for (const at of alone.slice(from, from + searched.length)) found.add(at);
  }
  return (at) => (found.has(at) ? 1 : 0);
}

/** How a part of the search matches, and the best words for it that the texts have. */
function describePart(part: SearchedPart, texts: readonly (readonly FieldText[])[]): SearchedWord {
  const { word } = part;
  let best = 0;
  const counts = new Map<string, number>();
  for (const fields of texts) {
    const seen = new Set<string>();
    const sections = fields.flatMap(({ name, sections }) =>
      (part.field ?? name) === name
        ? sections.flatMap((each) => [...(each.heading ? [each.heading] : []), each])
        : [],
    );
    for (const { words } of sections) {
      const weightAt = weigher(part, words);
      for (const [at, { word: other }] of words.entries()) {
        const weight = weightAt(at);
        if (weight === 0 || weight < best) continue;
        if (weight > best) counts.clear();
        if (weight > best || !seen.has(other)) counts.set(other, (counts.get(other) ?? 0) + 1);
        best = weight;
        seen.add(other);
      }
    }
  }
  if (best === 1) return { word, match: 'exact' };
  if (best === 0) return { word, match: 'none' };
  const common = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const as = common.slice(0, MAX_MATCHES).map(([other]) => other);
  if (best === WEIGHTS.synonym) return { word, match: 'replaced', as };
  return { word, match: best < WEIGHTS.part ? 'corrected' : 'completed', as };
}

function highlightOf(
  { type, id }: Entity,
  fields: readonly FieldText[],
  searched: readonly SearchedPart[],
): Highlight {
  const passages: (Passage & { readonly field: string; readonly score: number; heading?: Heading })[] = [];
  const below: typeof passages = [];
  for (const { name, sections } of fields) {
    const matches = searched.filter(({ field = name }) => field === name);
    const found = sections.flatMap(({ heading, ...section }) => {
      const inHeading = heading && bestPassage(heading, matches);
      const inText = bestPassage(section, matches);
      const score = (inHeading?.score ?? 0) + (inText?.score ?? 0);
      if (score === 0) return [];
      const { text, ranges } = inText ?? cut(section.text, 0, []);
      return [{ field: name, score, text, ranges, ...(heading && { heading: headingOf(heading, matches) }) }];
    });
    const [best] = found.toSorted((a, b) => b.score - a.score);
    if (best !== undefined) passages.push(best);
    below.push(...found.filter(({ heading }) => heading !== undefined));
  }
  const [excerpt] = passages.filter(({ field }) => field !== 'title').toSorted((a, b) => b.score - a.score);
  return {
    type,
    id,
    fields: Object.fromEntries(passages.map(({ field, text, ranges }) => [field, { text, ranges }])),
    ...(excerpt && {
      excerpt: {
        ...{ field: excerpt.field, text: excerpt.text, ranges: excerpt.ranges },
        ...(excerpt.heading && { heading: excerpt.heading }),
      },
    }),
    sections: below
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MAX_SECTIONS)
      .map(({ heading, text, ranges }) => ({ heading: heading!, text, ranges })),
  };
}

function headingOf(heading: ReadHeading, matches: readonly SearchedPart[]): Heading {
  const { text, slug } = heading;
  return { slug, text, ranges: rangesOf(heading, matches).map(({ range }) => range) };
}

/** The passage with most of the searched words, and those that are most like them; undefined without a match. */
function bestPassage(
  read: ReadText,
  matches: readonly SearchedPart[],
): (Passage & { readonly score: number }) | undefined {
  const found = rangesOf(read, matches);
  let best: { readonly at: number; readonly score: number } | undefined;
  for (const [i, { range }] of found.slice(0, MAX_RANGES).entries()) {
    const weights: number[] = matches.map(() => 0);
    let count = 0;
    for (let j = i; j < found.length && found[j]!.range[1] <= range[0] + LENGTH - BEFORE; j++, count++) {
      for (const [word, weight] of found[j]!.weights.entries())
        weights[word] = Math.max(weights[word]!, weight);
    }
    const score = weights.reduce((sum, weight) => sum + weight, Math.min(count, 9) / 100);
    if (best === undefined || score > best.score) best = { at: range[0], score };
  }
  const ranges = found.map(({ range }) => range);
  return best && { ...cut(read.text, best.at, ranges), score: best.score };
}

/** The matches of a text in order, with their weights by searched word. Adjacent ones of scripts without spaces are one. */
function rangesOf({ words }: ReadText, matches: readonly SearchedPart[]): readonly Match[] {
  const found: { range: [number, number]; weights: number[] }[] = [];
  const weighers = matches.map((part) => weigher(part, words));
  for (const [at, { start, end }] of words.entries()) {
    const weights = weighers.map((weightAt) => weightAt(at));
    if (!weights.some((weight) => weight > 0)) continue;
    const last = found.at(-1);
    if (last !== undefined && start <= last.range[1]) {
      last.range[1] = Math.max(last.range[1], end);
      last.weights = weights.map((weight, word) => Math.max(weight, last.weights[word]!));
    } else found.push({ range: [start, end], weights });
  }
  return found;
}

/** The text around a place, cut between words. */
function cut(text: string, place: number, ranges: readonly (readonly [number, number])[]): Passage {
  const isShort = text.length <= LENGTH;
  const start = isShort || place <= BEFORE ? 0 : wordStart(text, place - BEFORE);
  const end = text.length - start <= LENGTH ? text.length : wordStart(text, start + LENGTH);
  const lead = start > 0 ? '… ' : '';
  const shift = lead.length - start;
  return {
    text: lead + text.slice(start, end).trimEnd() + (end < text.length ? ' …' : ''),
    ranges: ranges
      .filter(([from, to]) => from >= start && to <= end)
      .map(([from, to]) => [from + shift, to + shift] as const),
  };
}

/** The start of the word at a place. Scripts without spaces are cut at a character. */
function wordStart(text: string, place: number): number {
  const space = text.lastIndexOf(' ', place);
  if (place - space < BEFORE) return space + 1;
  return /[\udc00-\udfff]/.test(text[place] ?? '') ? place - 1 : place;
}

interface FieldText {
  readonly name: string;
  readonly sections: readonly ReadSection[];
}

interface ReadSection extends ReadText {
  readonly heading: ReadHeading | undefined;
}

type ReadHeading = ReadText & { readonly slug: string };
type Heading = Passage & { readonly slug: string };

interface ReadText {
  readonly text: string;
  readonly words: readonly ReadWord[];
}

interface ReadWord {
  readonly word: string;
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

interface Match {
  readonly range: readonly [start: number, end: number];
  readonly weights: readonly number[];
}
