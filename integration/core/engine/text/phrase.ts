import type { Entity } from '../../content/model.ts';
import { LruMap } from '../../util/lru-map.ts';
import { Bitmap } from '../store/bitmap.ts';
import { filterRows, intersect, listRows, type RowSet, rowsOfBitmap } from '../store/row-set.ts';
import type { Table } from '../store/table.ts';
import { checkSlice } from '../time-slices.ts';
import { type SearchableField, searchableFields } from './searchable.ts';
import { searchableText } from './searchable-text.ts';
import { type Phrase, type SearchWords, wordsAsText } from './words.ts';

/**
 * The rows that `match` finds, and those of a phrase: visible rows with its words, whose text in a field has them together.
 * Texts of the rows that have the words are read in slices. `load` is called with these rows before.
 */
export function rowsWithPhrase(
  words: SearchWords,
  fields: readonly string[],
  table: Table,
  visible: RowSet,
  match: (words: SearchWords) => RowSet,
  load: (rows: RowSet) => void = () => undefined,
): RowSet {
  const { phrase } = words;
  if (phrase === undefined) return match(words);
  const candidates = intersect(match({ required: phrase.words, excluded: [] }), visible);
  load(candidates);
  const rows = filterRows(candidates, (row) => {
    const entity = table.entity(row);
    const before = results.get(phrase)?.get(entity);
    if (before !== undefined) return before;
    const hasPhrase = searchableFields(table.type).some(
      (field) => fields.includes(field.name) && wordsIn(entity, field).includes(phrase.text),
    );
    const known = results.get(phrase) ?? new WeakMap<Entity, boolean>();
    results.set(phrase, known.set(entity, hasPhrase));
    checkSlice();
    return hasPhrase;
  });
  return phrase.isExcluded ? rowsOfBitmap(Bitmap.of(table.size, listRows(rows)).not()) : rows;
}

function wordsIn(entity: Entity, field: SearchableField): string {
  const texts = lastTexts.get(entity) ?? new Map<string, string>();
  let text = texts.get(field.name);
  if (text === undefined) {
    text = wordsAsText(searchableText(entity, field));
    texts.set(field.name, text);
    const size = [...texts.values()].reduce((sum, { length }) => sum + length, 1);
    lastTexts.set(entity, texts, size);
  }
  return text;
}

/** Of a running query, which starts again after each slice. */
const results = new WeakMap<Phrase, WeakMap<Entity, boolean>>();
const MAX_CHARACTERS = 20_000_000;
/** The words of texts that were read last, by field. */
const lastTexts = new LruMap<Entity, Map<string, string>>(MAX_CHARACTERS);
