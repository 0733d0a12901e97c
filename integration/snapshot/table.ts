import { type Body, type Entity, type FieldValue, languageOf, type ResourceType } from '../content/model.ts';
import { Column } from '../engine/store/column.ts';
import { Dictionary } from '../engine/store/dictionary.ts';
import type { NeededColumn } from '../engine/store/entity-store.ts';
import { binarySearch, type ColumnKind, type Ordering } from '../engine/store/ordering.ts';
import type { Slot } from '../engine/store/slot.ts';
import type { Join, Table } from '../engine/store/table.ts';
import { allSteps } from '../engine/time-slices.ts';
import type { ByteSource } from '../storage/stored-bytes.ts';
import type { SnapshotFiles } from './files.ts';
import {
  type BlockFile,
  type BodiesFile,
  type BodyRecord,
  type ColumnFile,
  countDigests,
  digestAt,
  fileName,
  type GoneFile,
  goneDigest,
  type IdsFile,
  type Numbers,
  type PostingsFile,
  partOfId,
  REVISION,
  readNumbers,
  readRising,
  readValues,
  type TableRecord,
  type TranslationsFile,
  type ValuesFile,
} from './format.ts';

/** What a table reads its rows from. */
export interface TableDeps {
  readonly files: SnapshotFiles;
  readonly orderings: Readonly<Record<ColumnKind, Ordering>>;
  /** Called with the targets of the references in a block, when it is first read. */
  onBlock(block: BlockFile): void;
  /** The first row of an entity to which a loaded reference leads: -1 if it is hidden. Undefined for all others. */
  rowOfTarget(id: string): number | undefined;
}

/** A table whose files are loaded when they are needed: methods throw NotLoadedError until then. */
export class SnapshotTable implements Table {
  readonly type: ResourceType;
  readonly version = 0;
  readonly #record: TableRecord;
  readonly #deps: TableDeps;
  readonly #columns = new Map<string, Column>();
  readonly #columnFiles = new WeakMap<Column, ColumnFile>();
  readonly #joins = new WeakMap<Column, Map<Table, Join>>();
  /** By row. */
  readonly #entities = new Map<number, Entity>();
  /** The rows of copies, and the place of each among the rows of all blocks. */
  readonly #first: Int32Array;
  readonly #copies: ReadonlyMap<number, number>;
  /** The rows that were read from copies. */
  readonly #copied = new Set<number>();
  /** The number of words of each row, by field. */
  readonly #lengths = new Map<string, Int32Array>();
  #idRanks: Int32Array | undefined;
  #translations: Translations | undefined;
  readonly #blockStarts: Int32Array;
  readonly #bodyStarts: Int32Array;

  constructor(type: ResourceType, record: TableRecord, deps: TableDeps) {
    this.type = type;
    this.#record = record;
    this.#deps = deps;
    this.#blockStarts = startsOf(record.blocks.rows);
    this.#bodyStarts = startsOf(record.bodies.rows);
    this.#first = readNumbers(record.first);
    this.#copies = new Map(Array.from(this.#first, (row, i) => [row, record.rows + i]));
  }

  get size(): number {
    return this.#record.rows;
  }

  get idRanks(): Int32Array | null {
    const { ranks } = this.#record;
    if (ranks === null) return null;
    this.#idRanks ??= readNumbers(this.#get('ranks', ranks) as Numbers);
    return this.#idRanks;
  }

  get rowOrder(): string | null {
    return this.#record.order;
  }

  get entities(): readonly Entity[] {
    return this.entitiesAt(Array.from({ length: this.size }, (_, row) => row));
  }

  entity(row: number): Entity {
    return this.entitiesAt([row])[0]!;
  }

  entitiesAt(rows: readonly number[]): readonly Entity[] {
    const missing = rows.filter((row) => !this.#entities.has(row));
    const hasCopies = missing.every((row) => this.#copies.has(row));
    const places = hasCopies ? missing.map((row) => this.#copies.get(row)!) : missing;
    const blocks = new Set(places.map((place) => chunkOf(this.#blockStarts, place)));
    this.#deps.files.require([...blocks].map((block) => this.#blockName(block)));
    for (const block of blocks) this.#read(block);
    return rows.map((row) => this.#entities.get(row)!);
  }

  languageAt(row: number): string {
    const field = this.type.fields.get('langcode');
    if (field === undefined) return languageOf(this.entity(row));
    const { codes, dictionary } = this.#column('langcode', undefined);
    return codes[row] === -1 ? '' : String(dictionary.raw(codes[row]!));
  }

  isTranslation(row: number): boolean {
    const { rows } = this.#translated();
    return rows[binarySearch(rows.length, (at) => rows[at]! < row)] === row;
  }

  rowOf(id: string): number {
    const target = this.#deps.rowOfTarget(id);
    if (target !== undefined) return target;
    const parts = countDigests(this.#record.ids);
    if (parts === 0) return -1;
    const part = partOfId(id, parts);
    const ids = this.#get(`id-${part}`, digestAt(this.#record.ids, part)) as IdsFile;
    return Object.hasOwn(ids, id) ? ids[id]! : -1;
  }

  /** True if an entity with this id was removed. */
  isGone(id: string): boolean {
    const { gone } = this.#record;
    return gone !== null && (this.#get('gone', gone) as GoneFile).includes(goneDigest(id));
  }

  endOf(row: number): number {
    const { starts, ends } = this.#translated();
    const at = binarySearch(starts.length, (group) => starts[group]! < row);
    return starts[at] === row ? ends[at]! : row + 1;
  }

  get translated(): Int32Array {
    return this.#translated().starts;
  }

  column(slot: Slot): Column {
    return slot.bytes ? this.#textColumn(slot) : this.#column(slot.name, slot);
  }

  /** The files of a column. */
  filesOf({ slot: { name }, values }: NeededColumn): readonly string[] {
    const names = this.#columnNames(name);
    return names === undefined ? [] : values ? names : names.slice(0, 1);
  }

  ordering(slot: Slot): Ordering {
    return this.#deps.orderings[slot.kind];
  }

  join(column: Column, target: Table): Join {
    const joins = this.#joins.get(column) ?? new Map<Table, Join>();
    this.#joins.set(column, joins);
    let join = joins.get(target);
    if (join === undefined) {
      const rows = this.#columnFiles.get(column)?.joins?.[target.type.name] ?? [];
      join = createJoin(lessOne(readNumbers(rows)), column, target);
      joins.set(target, join);
    }
    return join;
  }

  /** The HTML of the body in a row. */
  html(row: number): string {
    return this.#bodyAt(row)[1];
  }

  /** The file with the body of a row. */
  bodiesName(row: number): string {
    const { digests } = this.#record.bodies;
    return this.#name('body', digestAt(digests, chunkOf(this.#bodyStarts, this.#placeOf(row))));
  }

  /** The place of a row whose entity was read. */
  #placeOf(row: number): number {
    return this.#copied.has(row) ? this.#copies.get(row)! : row;
  }

  /** Throws NotLoadedError with all files about the terms in the fields. */
  requireTerms(fields: readonly string[], terms: readonly string[]): void {
    this.#deps.files.require(
      fields.flatMap((field) => terms.flatMap((term) => this.#wordsName(field, term) ?? [])),
    );
  }

  /** Throws NotLoadedError with all files about the lengths of the fields. */
  requireLengths(fields: readonly string[]): void {
    this.#deps.files.require(fields.flatMap((field) => this.#lengthsName(field) ?? []));
  }

  /** Visits the rows with a term in a field, and how often it occurs there. */
  eachRow(field: string, term: string, visit: (row: number, count: number) => void): void {
    const name = this.#wordsName(field, term);
    if (name === undefined) return;
    const postings = this.#deps.files.get(name) as PostingsFile;
    if (!Object.hasOwn(postings, term)) return;
    const rows = readRising(postings[term]![0]);
    const counts = readNumbers(postings[term]![1] ?? []);
    for (let i = 0; i < rows.length; i++) visit(rows[i]!, counts[i] ?? 1);
  }

  /** The number of words of a field by row. */
  lengths(field: string): Int32Array {
    const name = this.#lengthsName(field);
    const lengths =
      this.#lengths.get(field) ??
      readNumbers(name === undefined ? [] : (this.#deps.files.get(name) as Numbers));
    this.#lengths.set(field, lengths);
    return lengths;
  }

  #searched(field: string) {
    const fields = this.#record.search?.fields ?? {};
    return Object.hasOwn(fields, field) ? fields[field] : undefined;
  }

  #lengthsName(field: string): string | undefined {
    const searched = this.#searched(field);
    return searched && this.#name(`lengths-${field}`, searched.lengths);
  }

  #wordsName(field: string, term: string): string | undefined {
    const searched = this.#searched(field);
    if (searched === undefined) return undefined;
    const part = binarySearch(searched.first.length, (at) => searched.first[at]! <= term) - 1;
    return part < 0 ? undefined : this.#name(`words-${field}`, digestAt(searched.parts, part));
  }

  /** Undefined for a column without values. Its name can be that of a property of every object. */
  #columnNames(column: string): readonly [column: string, values: string] | undefined {
    const { columns } = this.#record;
    if (!Object.hasOwn(columns, column)) return undefined;
    const digests = columns[column]!;
    return [this.#name(column, digestAt(digests, 0)), this.#name(`${column}-values`, digestAt(digests, 1))];
  }

  #column(name: string, slot: Slot | undefined): Column {
    const existing = this.#columns.get(name);
    if (existing !== undefined) return existing;
    const { files, orderings } = this.#deps;
    const names = this.#columnNames(name);
    const file = names === undefined ? { size: 0 } : (files.get(names[0]) as ColumnFile);
    const { size, codes, rising, classes, sizes } = file;
    const actual = slot ?? languageSlot;
    const dictionary = Dictionary.stored(
      orderings[actual.kind],
      size,
      classes === undefined ? null : readRising(classes),
      () => (names === undefined ? [] : readValues(files.get(names[1]) as ValuesFile)),
    );
    const counts = sizes === undefined ? new Int32Array(this.size) : readNumbers(sizes);
    const column = new Column(
      actual,
      dictionary,
      names === undefined
        ? new Int32Array(actual.list ? 0 : this.size).fill(-1)
        : lessOne(rising === undefined ? readNumbers(codes ?? []) : readRising(rising)),
      actual.list ? startsOf(counts) : null,
    );
    this.#columns.set(name, column);
    this.#columnFiles.set(column, file);
    return column;
  }

  /** The texts of all bodies, which have no file of their own: few queries sort by them. */
  #textColumn(slot: Slot): Column {
    const existing = this.#columns.get(slot.name);
    if (existing !== undefined) return existing;
    const { entities } = this;
    const names = entities.flatMap(({ body }, row) => (body === null ? [] : this.bodiesName(row)));
    this.#deps.files.require([...new Set(names)]);
    const column = allSteps(Column.build(slot, this.#deps.orderings[slot.kind], entities));
    this.#columns.set(slot.name, column);
    return column;
  }

  #read(block: number): void {
    const file = this.#deps.files.get(this.#blockName(block)) as BlockFile;
    this.#deps.onBlock(file);
    for (let index = 0; index < file.ids.length; index++) {
      const place = this.#blockStarts[block]! + index;
      const row = place < this.size ? place : this.#first[place - this.size]!;
      if (this.#entities.has(row)) continue;
      this.#entities.set(row, this.#decode(file, index, row));
      if (row !== place) this.#copied.add(row);
    }
  }

  #decode(
    { ids, revisions, values: written, bodies, extras }: BlockFile,
    index: number,
    row: number,
  ): Entity {
    const values: Record<string, FieldValue> = Object.create(null);
    for (const { name, list } of this.type.fields.values()) {
      const value = Object.hasOwn(written, name) ? written[name]![index] : undefined;
      if (name !== 'body') values[name] = value ?? (list ? [] : null);
    }
    const body = bodies?.[index] ?? null;
    const entity: Entity = {
      ...extras[index],
      type: this.type.name,
      id: ids[index]!,
      revision: revisions?.slice(index * REVISION, (index + 1) * REVISION) ?? '',
      key: '',
      values,
      published: true,
      body: body === null ? null : this.#body(body, row),
    };
    rowsOfEntities.set(entity, row);
    return entity;
  }

  #body([bytes, format, summary]: BodyRecord, row: number): Body {
    let text: Uint8Array | undefined;
    const source: ByteSource = {
      read: (start, length) => {
        text ??= encoder.encode(bytes === 0 ? '' : this.#bodyAt(row)[0]);
        return text.subarray(start, start + length);
      },
    };
    return { file: { length: bytes, source, start: 0 }, start: 0, end: bytes, format, summary };
  }

  #bodyAt(row: number): readonly [text: string, html: string] {
    const bodies = this.#deps.files.get(this.bodiesName(row)) as BodiesFile;
    const place = this.#placeOf(row);
    return bodies[place - this.#bodyStarts[chunkOf(this.#bodyStarts, place)]!] ?? ['', ''];
  }

  #translated(): Translations {
    if (this.#translations === undefined) {
      const { translations } = this.#record;
      const file =
        translations === null
          ? { groups: [], rows: [] }
          : (this.#get('translations', translations) as TranslationsFile);
      const groups = readRising(file.groups);
      this.#translations = {
        starts: groups.filter((_, at) => at % 2 === 0),
        ends: groups.filter((_, at) => at % 2 === 1),
        rows: readRising(file.rows),
      };
    }
    return this.#translations;
  }

  #blockName(block: number): string {
    return this.#name('block', digestAt(this.#record.blocks.digests, block));
  }

  #name(part: string, digest: string): string {
    return fileName(this.type.name, part, digest);
  }

  #get(part: string, digest: string): unknown {
    return this.#deps.files.get(this.#name(part, digest));
  }
}

interface Translations {
  /** First rows of the entities with translations, and the rows after them. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The rows of translations. */
  readonly rows: Int32Array;
}

/** The row of an entity of a snapshot table. */
export function rowOfEntity(entity: Entity): number {
  const row = rowsOfEntities.get(entity);
  if (row === undefined) throw new Error(`${entity.type} ${entity.id} is not from a snapshot.`);
  return row;
}

const rowsOfEntities = new WeakMap<Entity, number>();

/** The start of each part of the sizes, and the end of the last. */
function startsOf(sizes: ArrayLike<number>): Int32Array {
  const starts = new Int32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) starts[i + 1] = starts[i]! + sizes[i]!;
  return starts;
}

/** The part with a row. */
function chunkOf(starts: Int32Array, row: number): number {
  return binarySearch(starts.length, (at) => starts[at]! <= row) - 1;
}

/** Subtracts the 1 that makes room for null. */
function lessOne(numbers: Int32Array): Int32Array {
  return numbers.map((number) => number - 1);
}

function createJoin(rows: Int32Array, column: Column, target: Table): Join {
  const rowOfCode = new Int32Array(column.dictionary.size).fill(-1);
  rowOfCode.set(rows);
  const endOfCode = new Int32Array(rowOfCode.length).fill(-1);
  const codeOfRow = new Int32Array(target.size).fill(-1);
  for (let code = 0; code < rowOfCode.length; code++) {
    const row = rowOfCode[code]!;
    if (row === -1) continue;
    endOfCode[code] = target.endOf(row);
    codeOfRow.fill(code, row, endOfCode[code]);
  }
  return { rowOfCode, endOfCode, codeOfRow };
}

/** For the languages of rows, which no query asks for. */
const languageSlot: Slot = {
  name: 'langcode',
  kind: 'string',
  list: false,
  anchor: 'langcode',
  bytes: false,
  read: () => null,
};

const encoder = new TextEncoder();
