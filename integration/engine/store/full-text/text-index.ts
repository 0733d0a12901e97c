import type { Entity, ResourceType } from '../../../content/model.ts';
import { STEP } from '../../../util/steps.ts';
import { allSteps } from '../../time-slices.ts';
import { Bitmap } from '../bitmap.ts';
import { hasRow, type RowSet, rowCount, rowsOfBitmap } from '../row-set.ts';
import type { Table } from '../table.ts';
import {
  type CarriedIndex,
  type CarriedPart,
  carryTerms,
  FREQUENCIES,
  inGroups,
  takePostings,
} from './carried-index.ts';
import { type SearchableField, searchableFields, searchableText, signatureOf } from './searchable.ts';
import { type SearchWords, splitWords, type Terms } from './words.ts';

/** Term frequency and length in BM25, as lunr has them. */
const K1 = 1.2;
const B = 0.75;
/** Documents that are gone, before their postings are looked for. */
const MIN_DEAD = 500;

/**
 * The words of one resource type, field by field. Documents are numbered as they are read; an entity that changes
 * is a new document, and the postings of the old one are passed over until they are swept. No figure depends on
 * anything but the rows a question is about, so that a score is the same however the index came to be.
 */
export class TextIndex {
  readonly #terms: Terms;
  #type: ResourceType | null = null;
  #signature = '';
  #fields = new Map<string, FieldPostings>();
  /** The entity of each document; null where it is gone. */
  #entities: (Entity | null)[] = [];
  #documents = new Map<string, number>();
  #carried: CarriedIndex | null;
  #dead = 0;
  #rows: Rows | null = null;

  /** `carried` is an index made elsewhere, whose documents are taken as long as their files are the same. */
  constructor(terms: Terms, carried: CarriedIndex | null = null) {
    this.#terms = terms;
    this.#carried = carried;
  }

  /** True if nothing has changed since the last update. */
  isCurrent(table: Table): boolean {
    return this.#rows?.table === table && this.#rows.version === table.version;
  }

  /**
   * Reads what is new in a table and forgets what is gone, in short steps. What changes between two steps is for the
   * next update. An update ends early if another one ends before it, and the next one need not read the same again.
   */
  *update(table: Table): Generator<void, void, undefined> {
    yield* this.#fit(table);
    const fields = searchableFields(table.type);
    const { version } = table;
    const before = this.#rows;
    const { entities: old, documents: oldDocuments } = before ?? NO_ROWS;
    const entities = [...table.entities];
    const documents = new Int32Array(entities.length);
    for (let row = 0, at = 0; row < entities.length || at < old.length; ) {
      const [present, former] = [entities[row], old[at]];
      if (present === undefined || (former !== undefined && former.id < present.id)) {
        this.#forget(former!.id);
        at++;
      } else {
        const isSame = former === present;
        documents[row] = isSame ? oldDocuments[at]! : this.#documentOf(present, fields);
        if (former?.id === present.id) at++;
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
    this.#rows = { table, version, entities, documents, rowOfDocument };
  }

  /** The document of an entity, which is read if its text is new. */
  #documentOf(entity: Entity, fields: readonly SearchableField[]): number {
    const document = this.#documents.get(entity.id);
    const known = document === undefined ? null : this.#entities[document]!;
    if (document === undefined || known === null || !sameText(known, entity))
      return this.#read(entity, fields);
    this.#entities[document] = entity;
    return document;
  }

  /** Reads one entity, in place of the one of its id. */
  #read(entity: Entity, fields: readonly SearchableField[]): number {
    this.#forget(entity.id);
    const document = this.#entities.length;
    this.#entities.push(entity);
    this.#documents.set(entity.id, document);
    for (const field of fields) {
      const words = splitWords(searchableText(entity, field));
      if (words.length === 0) continue;
      const counts = new Map<string, number>();
      for (const word of words) {
        const term = this.#terms.termOf(word);
        counts.set(term, (counts.get(term) ?? 0) + 1);
      }
      const postings = this.#postings(field.name);
      postings.lengths[document] = words.length;
      for (const [term, count] of counts) {
        const posting = document * FREQUENCIES + Math.min(count, FREQUENCIES - 1);
        const list = postings.terms.get(term);
        if (list === undefined) postings.terms.set(term, [posting]);
        else list.push(posting);
      }
    }
    return document;
  }

  /** Rows in which every wanted word occurs, each in any of the fields, and no unwanted one. */
  match(words: SearchWords, fields: readonly string[], table: Table): RowSet {
    const rows = this.#rowsOf(table);
    const found = Bitmap.full(table.size);
    for (const word of words.wanted) found.and(this.#occurrences(word, fields, rows));
    for (const word of words.unwanted) found.and(this.#occurrences(word, fields, rows).not());
    return rowsOfBitmap(found);
  }

  /** In short steps: how well each row answers the wanted words, by BM25 over the visible rows alone; 0 for no word of them. */
  *scores(
    words: SearchWords,
    fields: readonly SearchableField[],
    visible: RowSet,
    table: Table,
  ): Generator<void, Float64Array, undefined> {
    const { rowOfDocument } = this.#rowsOf(table);
    const scores = new Float64Array(table.size);
    const total = rowCount(visible);
    const averages: number[] = [];
    for (const { name } of fields) {
      averages.push(averageLength(this.#fields.get(name), rowOfDocument, visible));
      yield;
    }
    for (const word of words.wanted) {
      const term = this.#terms.termOf(word);
      const weights = new Float64Array(table.size);
      const holding = new Bitmap(table.size);
      for (const [i, { name, boost }] of fields.entries()) {
        const postings = this.#fields.get(name);
        for (const posting of postings?.terms.get(term) ?? []) {
          const document = Math.floor(posting / FREQUENCIES);
          const row = rowOfDocument[document]!;
          if (row === -1 || !hasRow(visible, row)) continue;
          holding.add(row);
          const count = posting % FREQUENCIES;
          const length = (postings?.lengths[document] ?? 0) / averages[i]!;
          weights[row]! += (boost * (K1 + 1) * count) / (K1 * (1 - B + B * length) + count);
        }
        yield;
      }
      const documents = holding.count();
      const rarity = Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
      for (let row = 0; row < scores.length; row++) scores[row]! += rarity * weights[row]!;
    }
    return scores;
  }

  /** Whether much of the index is of documents that are gone. */
  get worn(): boolean {
    return this.#dead >= MIN_DEAD && this.#dead >= this.#documents.size / 2;
  }

  /** Drops the postings of what is gone, a step a term of a field. */
  *sweep(): Generator<void, void, undefined> {
    this.#dead = 0;
    for (const { terms } of [...this.#fields.values()]) {
      for (const [term, list] of terms) {
        const kept = list.filter((posting) => this.#entities[Math.floor(posting / FREQUENCIES)] !== null);
        if (kept.length === 0) terms.delete(term);
        else if (kept.length < list.length) terms.set(term, kept);
        yield;
      }
    }
  }

  /** The index in parts, documents that are gone left out. */
  *carry(): Generator<CarriedPart, void, undefined> {
    const numbers = new Map<number, number>();
    const documents: [string, string, string][] = [];
    this.#entities.forEach((entity, document) => {
      if (entity === null) return;
      numbers.set(document, documents.length);
      documents.push([entity.id, entity.key, entity.revision]);
    });
    for (const some of inGroups(documents, () => 1)) yield { documents: some };
    for (const [name, { lengths, terms }] of this.#fields) {
      const carried = new Array<number>(documents.length).fill(0);
      for (const [document, number] of numbers) carried[number] = lengths[document] ?? 0;
      for (const some of inGroups(carried, () => 1)) yield { field: { name, lengths: some, terms: [] } };
      for (const some of inGroups(carryTerms(terms, numbers), ([, list]) => list.length)) {
        yield { field: { name, lengths: [], terms: some } };
      }
    }
  }

  get signature(): string {
    return this.#signature;
  }

  *#fit({ type, entities }: Table): Generator<void, void, undefined> {
    if (type === this.#type) return;
    const signature = signatureOf(type);
    const carried = this.#carried;
    this.#type = type;
    this.#carried = null;
    // Another schema may make other values of the same files; what is inferred is told by the signature.
    if (type.origin === 'inferred' && signature === this.#signature) return;
    this.#signature = signature;
    this.#fields = new Map();
    this.#entities = [];
    this.#documents = new Map();
    this.#dead = 0;
    this.#rows = null;
    if (carried?.signature === signature) yield* this.#take(carried, entities);
  }

  /** A document counts when all its words are there: what is given up is read again. */
  *#take(carried: CarriedIndex, entities: readonly Entity[]): Generator<void, void, undefined> {
    const present = new Map<string, Entity>();
    for (const entity of [...entities]) {
      present.set(entity.id, entity);
      if (present.size % STEP === 0) yield;
    }
    const same: [number, Entity][] = [];
    for (const { documents, field } of carried.parts()) {
      for (const [id, key, revision] of documents ?? []) {
        const entity = present.get(id);
        if (entity !== undefined && sameText(entity, { key, revision }))
          same.push([this.#entities.length, entity]);
        this.#entities.push(null);
        this.#dead++;
      }
      if (field !== undefined) {
        const postings = this.#postings(field.name);
        for (const length of field.lengths) postings.lengths.push(length);
        for (const [term, list] of field.terms) postings.terms.set(term, takePostings(list));
      }
      yield;
    }
    for (const [document, entity] of same) {
      this.#entities[document] = entity;
      this.#documents.set(entity.id, document);
      this.#dead--;
      if (document % STEP === 0) yield;
    }
  }

  #forget(id: string): void {
    const document = this.#documents.get(id);
    if (document === undefined) return;
    this.#documents.delete(id);
    this.#entities[document] = null;
    this.#dead++;
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
    if (this.#rows === null) throw new Error('The update of a text index has no rows.');
    return this.#rows;
  }

  #occurrences(word: string, fields: readonly string[], { rowOfDocument, table }: Rows): Bitmap {
    const term = this.#terms.termOf(word);
    const found = new Bitmap(table.size);
    for (const name of fields) {
      for (const posting of this.#fields.get(name)?.terms.get(term) ?? []) {
        const row = rowOfDocument[Math.floor(posting / FREQUENCIES)]!;
        if (row !== -1) found.add(row);
      }
    }
    return found;
  }
}

/** The words of one field: how many each document has, and by term the postings in ascending order. */
interface FieldPostings {
  lengths: number[];
  readonly terms: Map<string, number[]>;
}

/** The entities of one version of the table by row, and their documents. */
interface Rows {
  readonly table: Table;
  readonly version: number;
  readonly entities: readonly Entity[];
  readonly documents: Int32Array;
  /** -1 for none. */
  readonly rowOfDocument: Int32Array;
}

const NO_ROWS: Pick<Rows, 'entities' | 'documents'> = { entities: [], documents: new Int32Array(0) };

/** Files of the same name and bytes say the same, as long as their fields are read alike. */
function sameText(one: FileIdentity, other: FileIdentity): boolean {
  return one === other || (one.key === other.key && one.revision === other.revision);
}

type FileIdentity = Pick<Entity, 'key' | 'revision'>;

/** Words of a visible document that has any in the field; 1 where there is none. */
function averageLength(
  postings: FieldPostings | undefined,
  rowOfDocument: Int32Array,
  visible: RowSet,
): number {
  let words = 0;
  let documents = 0;
  postings?.lengths.forEach((length, document) => {
    const row = rowOfDocument[document]!;
    if (length === 0 || row === -1 || !hasRow(visible, row)) return;
    words += length;
    documents++;
  });
  return documents === 0 ? 1 : words / documents;
}
