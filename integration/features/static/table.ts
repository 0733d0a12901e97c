import {
  type Body,
  type Entity,
  type FieldValue,
  languageOf,
  type ResourceType,
} from '../../core/content/model.ts';
import { Column } from '../../core/engine/store/column.ts';
import { Dictionary } from '../../core/engine/store/dictionary.ts';
import type { NeededColumn } from '../../core/engine/store/entity-store.ts';
import { binarySearch, type ColumnKind, type Ordering } from '../../core/engine/store/ordering.ts';
import type { Slot } from '../../core/engine/store/slot.ts';
import type { Join, Table } from '../../core/engine/store/table.ts';
import { allSteps } from '../../core/engine/time-slices.ts';
import type { ByteSource } from '../../core/storage/stored-bytes.ts';
import {
  type ColumnParts,
  classesOf,
  codesOf,
  columnParts,
  joinsOf,
  mergeRanks,
  sizesOf,
  valuesOf,
} from './column-parts.ts';
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
  partOfId,
  REVISION,
  readDeltas,
  readInstants,
  readNumbers,
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
  /** The block of an entity to which a loaded reference leads: -1 if it is hidden. Undefined for all others. */
  blockOfTarget(id: string): number | undefined;
}

/** A table whose files are loaded when they are needed: methods throw NotLoadedError until then. */
export class SnapshotTable implements Table {
  readonly type: ResourceType;
  readonly version = 0;
  readonly record: TableRecord;
  readonly #deps: TableDeps;
  readonly #columns = new Map<string, Column>();
  readonly #parts = new WeakMap<Column, ColumnParts>();
  readonly #joins = new WeakMap<Column, Map<Table, Join>>();
  /** By row. */
  readonly #entities = new Map<number, Entity>();
  /** The rows of copies, and the place of each among the rows of all blocks. */
  readonly #first: Int32Array;
  readonly #copies: ReadonlyMap<number, number>;
  /** By row: the file with its body, and the place there. */
  readonly #bodies = new Map<number, readonly [file: string, index: number]>();
  #idRanks: Int32Array | undefined;
  #translations: Translations | undefined;
  readonly #blockStarts: Int32Array;
  /** The first recent row. */
  readonly recentRow: number;

  constructor(type: ResourceType, record: TableRecord, deps: TableDeps) {
    this.type = type;
    this.record = record;
    this.#deps = deps;
    this.#blockStarts = startsOf(record.blocks.rows);
    this.recentRow = record.rows - (record.recent?.rows ?? 0);
    this.#first = readNumbers(record.first);
    this.#copies = new Map(Array.from(this.#first, (row, i) => [row, record.rows + i]));
  }

  get size(): number {
    return this.record.rows;
  }

  get idRanks(): Int32Array | null {
    const { ranks } = this.record;
    if (ranks === null) return null;
    this.#idRanks ??= mergeRanks(
      readNumbers(this.#get('ranks', ranks) as Numbers),
      readNumbers(this.record.recent?.ranks ?? []),
    );
    return this.#idRanks;
  }

  get rowOrder(): string | null {
    return this.record.order;
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
    const block = this.#deps.blockOfTarget(id) ?? this.#blockOf(id);
    if (block === -1) return -1;
    const { ids } = this.#deps.files.get(this.#blockName(block)) as BlockFile;
    return this.#blockStarts[block]! + ids.indexOf(id);
  }

  #blockOf(id: string): number {
    const { ids, recent } = this.record;
    if (recent !== null && Object.hasOwn(recent.ids, id)) return recent.ids[id]!;
    const parts = countDigests(ids);
    if (parts === 0) return -1;
    const part = partOfId(id, parts);
    const blocks = this.#get(`id-${part}`, digestAt(ids, part)) as IdsFile;
    return Object.hasOwn(blocks, id) ? blocks[id]! : -1;
  }

  /** True if an entity with this id was removed. */
  isGone(id: string): boolean {
    const { gone } = this.record;
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
    return values ? names : names.slice(0, 1);
  }

  ordering(slot: Slot): Ordering {
    return this.#deps.orderings[slot.kind];
  }

  join(column: Column, target: Table): Join {
    const joins = this.#joins.get(column) ?? new Map<Table, Join>();
    this.#joins.set(column, joins);
    let join = joins.get(target);
    if (join === undefined) {
      const parts = this.#parts.get(column);
      const rows = parts === undefined ? new Int32Array(0) : joinsOf(parts, target.type.name);
      join = createJoin(rows, column, target);
      joins.set(target, join);
    }
    return join;
  }

  /** The HTML of the body in a row. */
  html(row: number): string {
    return this.#bodyAt(row)[1];
  }

  /** The file with the body of a row whose entity was read; undefined without one. */
  bodiesName(row: number): string | undefined {
    return this.#bodies.get(row)?.[0];
  }

  /** Throws NotLoadedError with all files of these rows. */
  requireBodies(some: Iterable<number>): void {
    const rows = [...some];
    this.entitiesAt(rows);
    this.#deps.files.require([...new Set(rows.flatMap((row) => this.bodiesName(row) ?? []))]);
  }

  /** The file of a column, and of its values. The name of a column can be that of a property of every object. */
  #columnNames(column: string): readonly string[] {
    const { columns } = this.record;
    if (!Object.hasOwn(columns, column)) return [];
    const [first, second] = [digestAt(columns[column]!, 0), digestAt(columns[column]!, 1)];
    const name = this.#name(column, first);
    return second === '' ? [name] : [name, this.#name(`${column}-values`, second)];
  }

  #column(name: string, slot: Slot | undefined): Column {
    const existing = this.#columns.get(name);
    if (existing !== undefined) return existing;
    const { files, orderings } = this.#deps;
    const [columnName, valuesName] = this.#columnNames(name);
    const { columns = {}, rows = 0 } = this.record.recent ?? {};
    const base = columnName === undefined ? undefined : (files.get(columnName) as ColumnFile);
    const recent = Object.hasOwn(columns, name) ? columns[name] : undefined;
    const parts = columnParts(base, recent);
    const actual = slot ?? languageSlot;
    const dictionary = Dictionary.stored(orderings[actual.kind], parts.size, classesOf(parts), () => {
      const stored = valuesName === undefined ? base?.values : (files.get(valuesName) as ValuesFile);
      return valuesOf(parts, stored ?? []);
    });
    const column = new Column(
      actual,
      dictionary,
      codesOf(parts, actual.list ? [0, 0] : [this.recentRow, rows]),
      actual.list ? startsOf(sizesOf(parts, [this.recentRow, rows])) : null,
    );
    this.#columns.set(name, column);
    this.#parts.set(column, parts);
    return column;
  }

  /** The texts of all bodies, which have no file of their own: few queries sort by them. */
  #textColumn(slot: Slot): Column {
    const existing = this.#columns.get(slot.name);
    if (existing !== undefined) return existing;
    const { entities } = this;
    this.requireBodies(entities.keys());
    const column = allSteps(Column.build(slot, this.#deps.orderings[slot.kind], entities));
    this.#columns.set(slot.name, column);
    return column;
  }

  #read(block: number): void {
    const file = this.#deps.files.get(this.#blockName(block)) as BlockFile;
    this.#deps.onBlock(file);
    const instants = new Map(
      Object.entries(file.instants).map(([field, steps]) => [field, readInstants(steps)]),
    );
    const bodyStarts = startsOf(file.texts?.rows ?? []);
    for (let index = 0; index < file.ids.length; index++) {
      const place = this.#blockStarts[block]! + index;
      const row = place < this.size ? place : this.#first[place - this.size]!;
      if (this.#entities.has(row)) continue;
      this.#entities.set(row, this.#decode(file, instants, index, row));
      if (!file.bodies?.[index]) continue;
      const part = chunkOf(bodyStarts, index);
      const name = this.#name('body', digestAt(file.texts!.digests, part));
      this.#bodies.set(row, [name, index - bodyStarts[part]!]);
    }
  }

  #decode(
    { ids, revisions, values: written, bodies, extras }: BlockFile,
    instants: ReadonlyMap<string, readonly (string | null)[]>,
    index: number,
    row: number,
  ): Entity {
    const values: Record<string, FieldValue> = Object.create(null);
    for (const { name, list } of this.type.fields.values()) {
      const value = Object.hasOwn(written, name) ? written[name]![index] : instants.get(name)?.[index];
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
    const [file, index] = this.#bodies.get(row) ?? [];
    if (file === undefined || index === undefined) return NO_BODY;
    return (this.#deps.files.get(file) as BodiesFile)[index] ?? NO_BODY;
  }

  #translated(): Translations {
    if (this.#translations === undefined) {
      const { translations } = this.record;
      const file =
        translations === null
          ? { groups: [], rows: [] }
          : (this.#get('translations', translations) as TranslationsFile);
      const groups = readDeltas(file.groups);
      this.#translations = {
        starts: groups.filter((_, at) => at % 2 === 0),
        ends: groups.filter((_, at) => at % 2 === 1),
        rows: readDeltas(file.rows),
      };
    }
    return this.#translations;
  }

  #blockName(block: number): string {
    return this.#name('block', digestAt(this.record.blocks.digests, block));
  }

  get files(): SnapshotFiles {
    return this.#deps.files;
  }

  #name(part: string, digest: string): string {
    return fileName(this.type.name, part, digest);
  }

  #get(part: string, digest: string): unknown {
    return this.#deps.files.get(this.#name(part, digest));
  }
}

const NO_BODY = ['', ''] as const;

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

/** `rows` are missing if no target exists. */
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
