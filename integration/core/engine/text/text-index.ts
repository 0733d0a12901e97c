import { type Entity, languageOf, type ResourceType } from '../../content/model.ts';
import { STEP } from '../../util/steps.ts';
import type { RowSet } from '../store/row-set.ts';
import { compareRows, type RowKey, type Table } from '../store/table.ts';
import { allSteps } from '../time-slices.ts';
import { rowsWithPhrase } from './phrase.ts';
import { addScores, matchingRows, type Occurrences } from './score.ts';
import { type SearchableField, searchableFields, signatureOf } from './searchable.ts';
import { headingWords, searchableText } from './searchable-text.ts';
import {
  decodePostings,
  encodeTerms,
  FREQUENCIES,
  type IndexPart,
  inGroups,
  type SerializedIndex,
} from './serialized.ts';
import { exactTerms, type TermsOf, tolerantTerms, Vocabulary } from './vocabulary.ts';
import { type SearchWords, type SiteTerms, splitWords } from './words.ts';

/** Removed documents before their postings are deleted. */
const MIN_REMOVED = 500;

/**
 * The words of one resource type, by field. Documents are numbered as they are read. A changed entity is a new document,
 * and the postings of the old one are skipped until `compact` deletes them. A score depends only on the rows of the
 * query, not on the history of the index.
 */
export class TextIndex {
  readonly #terms: SiteTerms;
  #type: ResourceType | null = null;
  #signature = '';
  #fields = new Map<string, FieldPostings>();
  /** The entity of each document; null if it was removed. */
  #entities: (Entity | null)[] = [];
  /** By `documentKey`. */
  #documents = new Map<string, number>();
  #vocabulary = new Vocabulary();
  #prebuilt: SerializedIndex | null;
  #removed = 0;
  #rows: Rows | null = null;

  /** Documents of the `prebuilt` index are used if their files have not changed. */
  constructor(terms: SiteTerms, prebuilt: SerializedIndex | null = null) {
    this.#terms = terms;
    this.#prebuilt = prebuilt;
  }

  /** True if nothing has changed since the last update. */
  isCurrent(table: ReadTable): boolean {
    return this.#rows?.table === table && this.#rows.version === table.version;
  }

  /**
   * Adds new entities of a table and removes missing ones, in short steps. Changes between two steps are left to the next
   * update. An update ends early if another one finishes first; no entity is read twice.
   */
  *update(table: ReadTable): Generator<void, void, undefined> {
    yield* this.#adopt(table);
    const fields = searchableFields(table.type);
    const { version } = table;
    const before = this.#rows;
    const { entities: old, documents: oldDocuments } = before ?? NO_ROWS;
    const entities = [...table.entities];
    const documents = new Int32Array(entities.length);
    for (let row = 0, at = 0; row < entities.length || at < old.length; ) {
      const [current, former] = [entities[row], old[at]];
      if (current === undefined || (former !== undefined && compareRows(former, current) < 0)) {
        this.#remove(former!);
        at++;
      } else {
        const isSame = former === current;
        documents[row] = isSame ? oldDocuments[at]! : this.#documentOf(current, fields);
        if (former !== undefined && compareRows(former, current) === 0) at++;
        row++;
        if (isSame && row % STEP !== 0) continue;
      }
      yield;
      if (this.#rows !== before) return;
    }
    const rowOfDocument = new Int32Array(this.#entities.length).fill(-1);
    documents.forEach((document, row) => {
      rowOfDocument[document] = row;
    });
    this.#rows = { table, version, entities, documents, rowOfDocument, terms: new WeakMap() };
  }

  /** The document of an entity, which is read if its text has changed. */
  #documentOf(entity: Entity, fields: readonly SearchableField[]): number {
    const document = this.#documents.get(documentKey(entity));
    const previous = document === undefined ? null : this.#entities[document]!;
    if (document === undefined || previous === null || !hasSameText(previous, entity)) {
      return this.#read(entity, fields);
    }
    this.#entities[document] = entity;
    return document;
  }

  /** Reads one entity. Replaces the document of the same row. */
  #read(entity: Entity, fields: readonly SearchableField[]): number {
    this.#remove(entity);
    const document = this.#entities.length;
    const terms = this.#terms.of(languageOf(entity));
    this.#entities.push(entity);
    this.#documents.set(documentKey(entity), document);
    for (const field of fields) {
      const text = searchableText(entity, field);
      const words = splitWords(text);
      if (words.length === 0) continue;
      const counts = new Map<string, number>();
      for (const word of [...words, ...headingWords(text, field)]) {
        const term = terms.termOf(word);
        counts.set(term, (counts.get(term) ?? 0) + 1);
      }
      const postings = this.#postings(field.name);
      postings.lengths[document] = words.length;
      for (const [term, count] of counts) {
        const posting = document * FREQUENCIES + Math.min(count, FREQUENCIES - 1);
        const list = postings.terms.get(term);
        if (list === undefined) {
          postings.terms.set(term, [posting]);
          this.#vocabulary.add(term);
        } else list.push(posting);
      }
    }
    return document;
  }

  /** The rows in which every required word and no excluded word occurs, each in any of the fields: see `matchingRows`. */
  match(words: SearchWords, fields: readonly string[], table: Table, visible: RowSet): RowSet {
    return rowsWithPhrase(words, fields, table, visible, (each) =>
      matchingRows(this.#occurrencesIn(table, each), each, fields, visible),
    );
  }

  /** In short steps: adds the BM25 score of each row for the required words, over the visible rows only. */
  addScores(
    scores: Float64Array,
    words: SearchWords,
    fields: readonly SearchableField[],
    visible: RowSet,
    table: Table,
  ): Generator<void, void, undefined> {
    return addScores(scores, this.#occurrencesIn(table, words), words, fields, visible);
  }

  /** True if much of the index is of removed documents. */
  get isFragmented(): boolean {
    return this.#removed >= MIN_REMOVED && this.#removed >= this.#documents.size / 2;
  }

  /** Deletes the postings of removed documents, one step per term of a field. */
  *compact(): Generator<void, void, undefined> {
    this.#removed = 0;
    for (const { terms } of [...this.#fields.values()]) {
      for (const [term, list] of terms) {
        const rest = list.filter((posting) => this.#entities[Math.floor(posting / FREQUENCIES)] !== null);
        if (rest.length === 0) terms.delete(term);
        else if (rest.length < list.length) terms.set(term, rest);
        yield;
      }
    }
  }

  /** The parts of the index, without removed documents. */
  *serialize(): Generator<IndexPart, void, undefined> {
    const numbers = new Map<number, number>();
    const documents: [string, string, string][] = [];
    this.#entities.forEach((entity, document) => {
      if (entity === null) return;
      numbers.set(document, documents.length);
      documents.push([documentKey(entity), entity.key, entity.revision]);
    });
    for (const group of inGroups(documents, () => 1)) yield { documents: group };
    for (const [name, { lengths, terms }] of this.#fields) {
      const renumbered = new Array<number>(documents.length).fill(0);
      for (const [document, number] of numbers) renumbered[number] = lengths[document] ?? 0;
      for (const group of inGroups(renumbered, () => 1)) yield { field: { name, lengths: group, terms: [] } };
      for (const group of inGroups(encodeTerms(terms, numbers), ([, list]) => list.length)) {
        yield { field: { name, lengths: [], terms: group } };
      }
    }
  }

  /** The words by field. In an index that was updated once, the documents are the rows of its table. */
  get fields(): ReadonlyMap<string, FieldPostings> {
    return this.#fields;
  }

  get signature(): string {
    return this.#signature;
  }

  /** Clears the index if the type has changed. Loads the prebuilt index if it is for this type. */
  *#adopt({ type, entities }: ReadTable): Generator<void, void, undefined> {
    if (type === this.#type) return;
    const signature = signatureOf(type);
    const prebuilt = this.#prebuilt;
    this.#type = type;
    this.#prebuilt = null;
    // Another schema may decode the same files differently; the signature covers inferred types.
    if (type.origin === 'inferred' && signature === this.#signature) return;
    this.#signature = signature;
    this.#fields = new Map();
    this.#vocabulary = new Vocabulary();
    this.#entities = [];
    this.#documents = new Map();
    this.#removed = 0;
    this.#rows = null;
    if (prebuilt?.signature === signature) yield* this.#load(prebuilt, entities);
  }

  /** Assigns the documents only after all their words are loaded, so an interrupted load leaves none incomplete. */
  *#load(prebuilt: SerializedIndex, entities: readonly Entity[]): Generator<void, void, undefined> {
    const byKey = new Map<string, Entity>();
    for (const entity of [...entities]) {
      byKey.set(documentKey(entity), entity);
      if (byKey.size % STEP === 0) yield;
    }
    const unchanged: [number, Entity][] = [];
    for (const { documents, field } of prebuilt.parts()) {
      for (const [name, key, revision] of documents ?? []) {
        const entity = byKey.get(name);
        if (entity !== undefined && hasSameText(entity, { key, revision })) {
          unchanged.push([this.#entities.length, entity]);
        }
        this.#entities.push(null);
        this.#removed++;
      }
      if (field !== undefined) {
        const postings = this.#postings(field.name);
        for (const length of field.lengths) postings.lengths.push(length);
        for (const [term, list] of field.terms) {
          postings.terms.set(term, decodePostings(list));
          this.#vocabulary.add(term);
        }
      }
      yield;
    }
    for (const [document, entity] of unchanged) {
      this.#entities[document] = entity;
      this.#documents.set(documentKey(entity), document);
      this.#removed--;
      if (document % STEP === 0) yield;
    }
  }

  #remove(row: RowKey): void {
    const key = documentKey(row);
    const document = this.#documents.get(key);
    if (document === undefined) return;
    this.#documents.delete(key);
    this.#entities[document] = null;
    this.#removed++;
  }

  #postings(field: string): FieldPostings {
    let postings = this.#fields.get(field);
    if (postings === undefined) {
      postings = { lengths: [], terms: new Map() };
      this.#fields.set(field, postings);
    }
    return postings;
  }

  #rowsOf(table: Table): Rows {
    if (!this.isCurrent(table)) allSteps(this.update(table));
    if (this.#rows === null) throw new Error('The text index has not been updated.');
    return this.#rows;
  }

  #occurrencesIn(table: Table, words: SearchWords): Occurrences {
    const { rowOfDocument, documents, terms } = this.#rowsOf(table);
    const termsOf =
      terms.get(words) ??
      (words.isTolerant ? tolerantTerms(words, this.#terms, this.#vocabulary) : exactTerms(this.#terms));
    terms.set(words, termsOf);
    return {
      size: table.size,
      each: (word, field, visit) => {
        const postings = this.#fields.get(field);
        for (const [term, weight] of termsOf(word)) {
          for (const posting of postings?.terms.get(term) ?? []) {
            const row = rowOfDocument[Math.floor(posting / FREQUENCIES)]!;
            if (row !== -1) visit(row, weight * (posting % FREQUENCIES), weight);
          }
        }
      },
      lengths: (field) => {
        const { lengths = [] } = this.#fields.get(field) ?? {};
        return (row) => lengths[documents[row]!] ?? 0;
      },
    };
  }
}

/** What an index needs of a table. */
type ReadTable = Pick<Table, 'type' | 'version' | 'entities'>;

/** Identifies the document of a row. */
function documentKey({ id, translation }: RowKey): string {
  return translation === undefined ? id : `${id}\u0000${translation}`;
}

/** The words of one field: their number by document, and the ascending postings by term. */
interface FieldPostings {
  lengths: number[];
  readonly terms: Map<string, number[]>;
}

/** The entities of one version of the table by row, and their documents. */
interface Rows {
  readonly table: ReadTable;
  readonly version: number;
  readonly entities: readonly Entity[];
  readonly documents: Int32Array;
  /** -1 for none. */
  readonly rowOfDocument: Int32Array;
  readonly terms: WeakMap<SearchWords, TermsOf>;
}

const NO_ROWS: Pick<Rows, 'entities' | 'documents'> = { entities: [], documents: new Int32Array(0) };

/** True if the files have the same name and bytes. */
function hasSameText(one: FileIdentity, other: FileIdentity): boolean {
  return one === other || (one.key === other.key && one.revision === other.revision);
}

type FileIdentity = Pick<Entity, 'key' | 'revision'>;
