import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { searchableText } from '../../core/engine/text/searchable-text.ts';
import { tolerantTerms, Vocabulary } from '../../core/engine/text/vocabulary.ts';
import { parseSearch, positionedWords } from '../../core/engine/text/words.ts';
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
  const { required } = parseSearch(search);
  const termsOf = tolerantTerms({ required, excluded: [] }, terms, vocabulary);
  const matches = required.map((word) => new Map(termsOf(word)));
  const highlights = texts.map(({ entity, fields }) => highlightOf(entity, fields, matches));
  const all = texts.map(({ fields }) => fields.flatMap(({ sections }) => sections.flatMap(wordsOf)));
  return { search: required.map((word, at) => describeWord(word, matches[at]!, all)), highlights };

  async function visibleTexts(
    { services }: MatchContext,
    entity: Entity,
    withBody: boolean,
  ): Promise<readonly { readonly name: string; readonly sections: readonly HtmlSection[] }[]> {
    const type = services.store.types.get(entity.type) as ResourceType;
    const found: { name: string; sections: readonly HtmlSection[] }[] = [];
    for (const field of searchableFields(type)) {
      const { name, definition } = field;
      if (!access.fieldVisible(type, name)) continue;
      const isBody = definition.kind === 'formatted_text';
      if (isBody && !withBody) continue;
      if (!isBody) found.push({ name, sections: [{ text: shownText(searchableText(entity, field)) }] });
      else if (entity.body !== null) {
        const summary = entity.body.summary ?? '';
        const sections = htmlSections(await services.renderBody(entity));
        found.push({
          name,
          sections: summary === '' ? sections : [{ text: shownText(summary) }, ...sections],
        });
      }
    }
    return found;
  }
}

/** The words with these weights by term, and the best of them that the texts have. */
function describeWord(
  word: string,
  weights: ReadonlyMap<string, number>,
  texts: readonly (readonly ReadWord[])[],
): SearchedWord {
  let best = 0;
  const counts = new Map<string, number>();
  for (const words of texts) {
    const seen = new Set<string>();
    for (const { term, word: other } of words) {
      const weight = weights.get(term) ?? 0;
      if (weight === 0 || weight < best) continue;
      if (weight > best) counts.clear();
      if (weight > best || !seen.has(other)) counts.set(other, (counts.get(other) ?? 0) + 1);
      best = weight;
      seen.add(other);
    }
  }
  if (best === 1) return { word, match: 'exact' };
  if (best === 0) return { word, match: 'none' };
  const common = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const as = common.slice(0, MAX_MATCHES).map(([other]) => other);
  return { word, match: best < PART ? 'corrected' : 'completed', as };
}

/** Terms with less differ in a letter. */
const PART = 0.3;

function highlightOf(
  { type, id }: Entity,
  fields: readonly FieldText[],
  matches: readonly ReadonlyMap<string, number>[],
): Highlight {
  const passages: (Passage & { readonly field: string; readonly score: number; heading?: ReadHeading })[] =
    [];
  const below: typeof passages = [];
  for (const { name, sections } of fields) {
    const found = sections.flatMap(({ heading, ...section }) => {
      const inHeading = heading && bestPassage(heading, matches);
      const inText = bestPassage(section, matches);
      const score = (inHeading?.score ?? 0) + (inText?.score ?? 0);
      if (score === 0) return [];
      const { text, ranges } = inText ?? cut(section.text, 0, []);
      return [{ field: name, score, text, ranges, ...(heading && { heading }) }];
    });
    const [best] = found.toSorted((a, b) => b.score - a.score);
    if (best !== undefined) passages.push(best);
    below.push(...found.filter(({ heading }) => heading !== undefined));
  }
  const headingOf = (heading: ReadHeading) => {
    const { text, slug } = heading;
    return { slug, text, ranges: rangesOf(heading, matches).map(({ range }) => range) };
  };
  const [excerpt] = passages.filter(({ field }) => field !== 'title').toSorted((a, b) => b.score - a.score);
  return {
    type,
    id,
    fields: Object.fromEntries(passages.map(({ field, text, ranges }) => [field, { text, ranges }])),
    ...(excerpt && {
      excerpt: {
        ...{ field: excerpt.field, text: excerpt.text, ranges: excerpt.ranges },
        ...(excerpt.heading && { heading: headingOf(excerpt.heading) }),
      },
    }),
    sections: below
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MAX_SECTIONS)
      .map(({ heading, text, ranges }) => ({ heading: headingOf(heading!), text, ranges })),
  };
}

/** The passage with most of the searched words, and those that are most like them; undefined without a match. */
function bestPassage(
  read: ReadText,
  matches: readonly ReadonlyMap<string, number>[],
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
function rangesOf({ words }: ReadText, matches: readonly ReadonlyMap<string, number>[]): readonly Match[] {
  const found: { range: [number, number]; weights: number[] }[] = [];
  for (const { term, start, end } of words) {
    const weights = matches.map((terms) => terms.get(term) ?? 0);
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

const wordsOf = ({ words, heading }: ReadSection) => [...(heading?.words ?? []), ...words];

interface FieldText {
  readonly name: string;
  readonly sections: readonly ReadSection[];
}

interface ReadSection extends ReadText {
  readonly heading: ReadHeading | undefined;
}

type ReadHeading = ReadText & { readonly slug: string };

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
