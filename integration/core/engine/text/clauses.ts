import type { QueryAccess } from '../engine.ts';
import type { SearchableField } from './searchable.ts';
import {
  type FieldBoost,
  foldAccents,
  parseSearch,
  type SearchedWords,
  type SearchWords,
  searchedWords,
  splitWords,
  wordsAsText,
} from './words.ts';

/** A part of a search. Entities must match all parts. */
export interface Clause {
  readonly text: string;
  readonly words: SearchWords;
  /** The field that is searched. All by default. */
  readonly field?: string;
}

/** A part of a search, with the fields of a type that are searched. */
export interface SearchedFields {
  readonly text: string;
  readonly words: SearchWords;
  readonly fields: readonly SearchableField[];
  /** A boost that the actor may see. */
  readonly boost?: FieldBoost;
}

/**
 * The parts of a tolerant search: words, `"words that stand together"` and `title:word`, each excluded by a minus sign before it.
 * `fields` are the names that can stand before a colon; null for a search that is not tolerant and has only words. `stopWords` are
 * left out if another part is required.
 */
export function parseClauses(
  text: string,
  fields: readonly string[] | null,
  stopWords: readonly string[] = [],
): readonly Clause[] {
  if (fields === null) return [{ text, words: parseSearch(text) }];
  const clauses: Clause[] = [];
  const others: string[] = [];
  for (const [part, minus = '', name, phrase, word = ''] of text.replace(QUOTES, '"').matchAll(PART)) {
    const field = fields.find((each) => each.toLowerCase() === name?.toLowerCase());
    if (phrase === undefined && field === undefined) {
      others.push(part);
      continue;
    }
    // Another word before a colon is a word of the text.
    if (field === undefined && name !== undefined) others.push(minus + name);
    const words = [...new Set(searchedWords(splitWords(phrase ?? word)))];
    if (words.length === 0) continue;
    const isExcluded = minus === '-';
    const required = isExcluded ? [] : words;
    const searched: SearchWords =
      phrase === undefined
        ? { required, excluded: isExcluded ? words : [], isTolerant: true }
        : { required, excluded: [], phrase: { text: wordsAsText(phrase), words, isExcluded } };
    clauses.push({ text: part, words: searched, ...(field !== undefined && { field }) });
  }
  const { required: typed, excluded } = parseSearch(others.join(' '));
  const needed = typed.filter((word) => !stopWords.includes(foldAccents(word)));
  const hasOther = ({ words }: Clause) => words.required.length > 0 || words.phrase?.isExcluded === false;
  const isOptional = clauses.some(hasOther);
  const required = needed.length > 0 || isOptional ? needed : typed;
  const ignored = typed.filter((word) => !required.includes(word));
  // A word that is required too, where others like it are enough, is excluded on its own: only as it is written.
  const both = excluded.filter((word) => required.includes(word));
  const rest: SearchWords = {
    required,
    excluded: excluded.filter((word) => !both.includes(word)),
    isTolerant: true,
    ...(isOptional && { isOptional }),
    ...(ignored.length > 0 && { ignored }),
  };
  const hasRest = rest.required.length + rest.excluded.length + ignored.length > 0;
  return [
    ...(hasRest ? [{ text: clauses.length === 0 ? text : others.join(' '), words: rest }] : []),
    ...both.map((word) => ({ text: `-${word}`, words: { required: [], excluded: [word] } })),
    ...clauses,
  ];
}

/** The stop words of a request in these languages, the best first. */
export function stopWordsIn(
  { stopWords = {} }: Pick<SearchedWords, 'stopWords'>,
  { languages: [code = ''] = [] }: Pick<QueryAccess, 'languages'>,
): readonly string[] {
  return Object.hasOwn(stopWords, code) ? stopWords[code]! : [];
}

const QUOTES = /[“”„‟«»]/g;
const PART = /(-?)(?:([\p{L}_][\p{L}\p{N}_]*):)?(?:"([^"]*)"|(\S+))/gu;
