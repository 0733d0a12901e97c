import { type Body, type Entity, type FieldValue, languageOf, type ResourceType } from '../content/model.ts';
import { Column } from '../engine/store/column.ts';
import { binarySearch, type ColumnKind, type Ordering } from '../engine/store/ordering.ts';
import type { Slot } from '../engine/store/slot.ts';
import type { Join, Table } from '../engine/store/table.ts';
import type { ByteSource } from '../storage/stored-bytes.ts';
import type { SnapshotFiles } from './files.ts';
import {
  BLOCK_ROWS,
  type BlockFile,
  type BodiesFile,
  type ColumnFile,
  countDigests,
  digestAt,
  type EntityRecord,
  fileName,
  type IdsFile,
  type PostingsFile,
  partOfId,
  type TableRecord,
  type TranslationsFile,
} from './format.ts';

/** What a table reads its rows from. */
export interface TableDeps {
  readonly files: SnapshotFiles;
  /** The file with the files of small tables. */
  readonly pack: string | null;
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
  readonly #blocks = new Map<number, readonly Entity[]>();
  #idRanks: Int32Array | undefined;
  #groups: { readonly starts: Int32Array; readonly ends: Int32Array } | undefined;

  constructor(type: ResourceType, record: TableRecord, deps: TableDeps) {
    this.type = type;
    this.#record = record;
    this.#deps = deps;
  }

  get size(): number {
    return this.#record.rows;
  }

  get idRanks(): Int32Array | null {
    const { ranks } = this.#record;
    if (ranks === null) return null;
    this.#idRanks ??= Int32Array.from(this.#get('ranks', ranks) as readonly number[]);
    return this.#idRanks;
  }

  get entities(): readonly Entity[] {
    return this.entitiesAt(Array.from({ length: this.size }, (_, row) => row));
  }

  entity(row: number): Entity {
    return this.entitiesAt([row])[0]!;
  }

  entitiesAt(rows: readonly number[]): readonly Entity[] {
    const blocks = new Set(rows.map(blockOf));
    this.#require([...blocks].map((block) => this.#blockName(block)));
    return rows.map((row) => this.#block(blockOf(row))[row % BLOCK_ROWS]!);
  }

  languageAt(row: number): string {
    const field = this.type.fields.get('langcode');
    if (field === undefined) return languageOf(this.entity(row));
    const { codes, dictionary } = this.#column('langcode', undefined);
    return codes[row] === -1 ? '' : String(dictionary.raw(codes[row]!));
  }

  isTranslation(row: number): boolean {
    const rows = this.#translations()?.rows ?? [];
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

  endOf(row: number): number {
    const { starts, ends } = this.#grouped();
    const at = binarySearch(starts.length, (group) => starts[group]! < row);
    return starts[at] === row ? ends[at]! : row + 1;
  }

  get translated(): Int32Array {
    return this.#grouped().starts;
  }

  column(slot: Slot): Column {
    return this.#column(slot.name, slot);
  }

  /** The file of a column that is not loaded yet; undefined if no file is needed. */
  fileOf({ name }: Slot): string | undefined {
    const digest = this.#digestOf(name);
    if (digest === undefined || this.#columns.has(name)) return undefined;
    return this.#record.isPacked ? (this.#deps.pack ?? undefined) : this.#name(name, digest);
  }

  ordering(slot: Slot): Ordering {
    return this.#deps.orderings[slot.kind];
  }

  join(column: Column, target: Table): Join {
    const joins = this.#joins.get(column) ?? new Map<Table, Join>();
    this.#joins.set(column, joins);
    let join = joins.get(target);
    if (join === undefined) {
      join = createJoin(this.#columnFiles.get(column)?.joins?.[target.type.name] ?? [], column, target);
      joins.set(target, join);
    }
    return join;
  }

  /** The HTML of the body in a row. */
  html(row: number): string {
    return this.#bodies(blockOf(row))[row % BLOCK_ROWS]?.html ?? '';
  }

  /** Throws NotLoadedError with all files about the terms in the fields. */
  requireTerms(fields: readonly string[], terms: readonly string[]): void {
    this.#require(
      fields.flatMap((field) =>
        terms.flatMap((term) => {
          const part = this.#partOfTerm(field, term);
          return part === undefined ? [] : [this.#name(`words-${field}-${part.number}`, part.digest)];
        }),
      ),
    );
  }

  /** Throws NotLoadedError with all files about the lengths of the fields. */
  requireLengths(fields: readonly string[]): void {
    this.#require(fields.flatMap((field) => this.#lengthsName(field) ?? []));
  }

  /** Visits the rows with a term in a field, and how often it occurs there. */
  eachRow(field: string, term: string, visit: (row: number, count: number) => void): void {
    const part = this.#partOfTerm(field, term);
    if (part === undefined) return;
    const postings = this.#get(`words-${field}-${part.number}`, part.digest) as PostingsFile;
    if (!Object.hasOwn(postings, term)) return;
    const [rows, counts] = postings[term]!;
    for (const [i, row] of rows.entries()) visit(row, counts[i]!);
  }

  /** The number of words of a field by row. */
  lengths(field: string): readonly number[] {
    const name = this.#lengthsName(field);
    if (name === undefined) return [];
    this.#require([name]);
    return this.#deps.files.get(name) as readonly number[];
  }

  #searched(field: string) {
    const fields = this.#record.search?.fields ?? {};
    return Object.hasOwn(fields, field) ? fields[field] : undefined;
  }

  #lengthsName(field: string): string | undefined {
    const searched = this.#searched(field);
    return searched && this.#name(`lengths-${field}`, searched.lengths);
  }

  #partOfTerm(field: string, term: string): { readonly number: number; readonly digest: string } | undefined {
    const searched = this.#searched(field);
    if (searched === undefined) return undefined;
    const number = binarySearch(searched.first.length, (at) => searched.first[at]! <= term) - 1;
    return number < 0 ? undefined : { number, digest: digestAt(searched.parts, number) };
  }

  /** Undefined for a column without values. Its name can be that of a property of every object. */
  #digestOf(column: string): string | undefined {
    const { columns } = this.#record;
    return Object.hasOwn(columns, column) ? columns[column] : undefined;
  }

  #column(name: string, slot: Slot | undefined): Column {
    const existing = this.#columns.get(name);
    if (existing !== undefined) return existing;
    const digest = this.#digestOf(name);
    const file: ColumnFile =
      digest === undefined
        ? { raws: [], codes: new Array<number>(slot?.list ? 0 : this.size).fill(-1) }
        : (this.#get(name, digest) as ColumnFile);
    const actual = slot ?? languageSlot;
    const column = Column.of(actual, this.#deps.orderings[actual.kind], {
      ...file,
      sizes: file.sizes ?? (actual.list ? new Array<number>(this.size).fill(0) : undefined),
    });
    this.#columns.set(name, column);
    this.#columnFiles.set(column, file);
    return column;
  }

  #block(block: number): readonly Entity[] {
    let entities = this.#blocks.get(block);
    if (entities === undefined) {
      const file = this.#deps.files.get(this.#blockName(block)) as BlockFile;
      this.#deps.onBlock(file);
      entities = file.entities.map((record, index) => this.#decode(record, block * BLOCK_ROWS + index));
      this.#blocks.set(block, entities);
    }
    return entities;
  }

  #decode(record: EntityRecord, row: number): Entity {
    const { body, values: written, ...rest } = record;
    const values: Record<string, FieldValue> = Object.create(null);
    for (const { name, list } of this.type.fields.values()) {
      if (name !== 'body') values[name] = Object.hasOwn(written, name) ? written[name]! : list ? [] : null;
    }
    const entity: Entity = {
      ...rest,
      type: this.type.name,
      key: '',
      values,
      published: true,
      body: body === undefined ? null : this.#body(body, row),
    };
    rowsOfEntities.set(entity, row);
    return entity;
  }

  #body({ bytes, format, summary }: NonNullable<EntityRecord['body']>, row: number): Body {
    let text: Uint8Array | undefined;
    const source: ByteSource = {
      read: (start, length) => {
        text ??= encoder.encode(this.#bodies(blockOf(row))[row % BLOCK_ROWS]?.text ?? '');
        return text.subarray(start, start + length);
      },
    };
    return { file: { length: bytes, source, start: 0 }, start: 0, end: bytes, format, summary };
  }

  #bodies(block: number): BodiesFile {
    return this.#get(`body-${block}`, digestAt(this.#record.bodies, block)) as BodiesFile;
  }

  #grouped(): { readonly starts: Int32Array; readonly ends: Int32Array } {
    if (this.#groups === undefined) {
      const { groups } = this.#translations() ?? { groups: [] };
      this.#groups = {
        starts: Int32Array.from(groups.filter((_, at) => at % 2 === 0)),
        ends: Int32Array.from(groups.filter((_, at) => at % 2 === 1)),
      };
    }
    return this.#groups;
  }

  #translations(): TranslationsFile | undefined {
    const { translations } = this.#record;
    return translations === null ? undefined : (this.#get('translations', translations) as TranslationsFile);
  }

  #blockName(block: number): string {
    return this.#name(`block-${block}`, digestAt(this.#record.blocks, block));
  }

  #name(part: string, digest: string): string {
    return fileName(this.type.name, part, digest);
  }

  #get(part: string, digest: string): unknown {
    const name = this.#name(part, digest);
    this.#require([name]);
    return this.#deps.files.get(name);
  }

  #require(names: readonly string[]): void {
    if (names.length === 0) return;
    const { files, pack } = this.#deps;
    files.require(this.#record.isPacked && pack !== null ? [pack] : names);
  }
}

/** The row of an entity of a snapshot table. */
export function rowOfEntity(entity: Entity): number {
  const row = rowsOfEntities.get(entity);
  if (row === undefined) throw new Error(`${entity.type} ${entity.id} is not from a snapshot.`);
  return row;
}

const rowsOfEntities = new WeakMap<Entity, number>();

function blockOf(row: number): number {
  return Math.floor(row / BLOCK_ROWS);
}

function createJoin(rows: readonly number[], column: Column, target: Table): Join {
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
