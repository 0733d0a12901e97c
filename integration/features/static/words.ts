import { binarySearch } from '../../core/engine/store/ordering.ts';
import { joined } from './column-parts.ts';
import {
  digestAt,
  fileName,
  type Numbers,
  type PostingsFile,
  readDeltas,
  readNumbers,
  readTerms,
  type TermsFile,
  type WordsRecord,
} from './format.ts';
import type { SnapshotTable } from './table.ts';

/** The words of a table. Only searches load this code. Methods throw NotLoadedError until the files they need are loaded. */
export class TableWords {
  readonly #table: SnapshotTable;
  /** The number of words of each row, by field. */
  readonly #lengths = new Map<string, Int32Array>();

  constructor(table: SnapshotTable) {
    this.#table = table;
  }

  /** Throws NotLoadedError with all files about the terms in the fields. */
  requireTerms(fields: readonly string[], terms: readonly string[]): void {
    const records = new Set(fields.flatMap((field) => this.#recordOf(field) ?? []));
    const files = [...records].flatMap((record) => terms.flatMap((term) => this.#filesOf(record, term)));
    this.#table.files.require([...new Set(files.map(({ name }) => name))]);
  }

  /** Throws NotLoadedError with all files about the lengths of the fields. */
  requireLengths(fields: readonly string[]): void {
    this.#table.files.require(fields.flatMap((field) => this.#lengthsName(field) ?? []));
  }

  /** The terms with one of these beginnings, and others. Throws NotLoadedError with all files of them. */
  termsWith(beginnings: readonly string[]): readonly string[] {
    const { files, record } = this.#table;
    const { first, parts } = record.vocabulary;
    const hasSome = (_: string, part: number) =>
      beginnings.some((text) => {
        const [start, next] = [first[part]!, first[part + 1]];
        return (start <= text || start.startsWith(text)) && (next === undefined || next > text);
      });
    const names = first.flatMap((term, part) =>
      hasSome(term, part) ? this.#name('vocabulary', digestAt(parts, part)) : [],
    );
    const recent = beginnings.length > 0 ? this.#recentName : undefined;
    files.require(recent === undefined ? names : [...names, recent]);
    return [
      ...names.flatMap((name) => readTerms(files.get(name) as TermsFile)),
      ...(recent === undefined ? [] : Object.keys(files.get(recent) as PostingsFile)),
    ];
  }

  /** Visits the rows with a term in a field, and how often it occurs there. */
  eachRow(field: string, term: string, visit: (row: number, count: number) => void): void {
    const record = this.#recordOf(field);
    for (const { name, lengths, first } of record === undefined ? [] : this.#filesOf(record, term)) {
      const file = this.#table.files.get(name) as PostingsFile;
      const at = Object.keys(lengths).indexOf(field);
      const postings = Object.hasOwn(file, term) ? file[term]![at] : undefined;
      if (!postings) continue;
      const rows = readDeltas(postings[0]);
      const counts = readNumbers(postings[1] ?? []);
      for (let i = 0; i < rows.length; i++) visit(first + rows[i]!, counts[i] ?? 1);
    }
  }

  /** The number of words of a field by row. */
  lengths(field: string): Int32Array {
    const existing = this.#lengths.get(field);
    if (existing !== undefined) return existing;
    const { files, record } = this.#table;
    const name = this.#lengthsName(field);
    const base = name === undefined ? [] : (files.get(name) as Numbers);
    const lengths = joined(readNumbers(base), readNumbers(record.recent?.lengths[field] ?? []));
    this.#lengths.set(field, lengths);
    return lengths;
  }

  #recordOf(field: string): WordsRecord | undefined {
    return this.#table.record.words.find(({ lengths }) => Object.hasOwn(lengths, field));
  }

  #lengthsName(field: string): string | undefined {
    const record = this.#recordOf(field);
    return record && this.#name(`lengths-${field}`, record.lengths[field]!);
  }

  /** The file with the words of recent rows. */
  get #recentName(): string | undefined {
    const words = this.#table.record.recent?.words;
    return words ? this.#name('words-recent', words) : undefined;
  }

  /** The files with the postings of a term, and the row from which each counts. */
  #filesOf({ lengths, first, parts }: WordsRecord, term: string): WordsFile[] {
    const files: WordsFile[] = [];
    const part = binarySearch(first.length, (at) => first[at]! <= term) - 1;
    if (part >= 0) files.push({ name: this.#name('words', digestAt(parts, part)), lengths, first: 0 });
    const name = this.#recentName;
    const { record, recentRow } = this.#table;
    if (name !== undefined) files.push({ name, lengths: record.recent!.lengths, first: recentRow });
    return files;
  }

  #name(part: string, digest: string): string {
    return fileName(this.#table.type.name, part, digest);
  }
}

interface WordsFile {
  readonly name: string;
  /** Its fields in order. */
  readonly lengths: Readonly<Record<string, unknown>>;
  readonly first: number;
}
