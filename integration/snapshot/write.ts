import { ANONYMOUS } from '../access/actor.ts';
import type { Services } from '../api/services.ts';
import {
  bodyLength,
  bodyText,
  type Entity,
  type FieldDefinition,
  type FieldValue,
  type ResourceType,
} from '../content/model.ts';
import { createOrderings } from '../engine/store/ordering.ts';
import { NULL_CODE } from '../engine/store/postings.ts';
import {
  createPresenceSlot,
  createSlot,
  ID_SLOT,
  type Slot,
  splitReferenceKey,
} from '../engine/store/slot.ts';
import { compareRows, EntityTable } from '../engine/store/table.ts';
import { createFullText } from '../engine/text/full-text.ts';
import { decodePostings, FREQUENCIES } from '../engine/text/serialized.ts';
import { referencesOf } from '../read/serialize.ts';
import { visibleFields } from '../read/sparse-fields.ts';
import type { JsonValue } from '../util/json.ts';
import {
  BLOCK_ROWS,
  type BlockFile,
  type BodiesFile,
  type ColumnFile,
  digestOf,
  type EntityRecord,
  FORMAT,
  fileName,
  MANIFEST,
  type Manifest,
  partOfId,
  type TableRecord,
} from './format.ts';

/** A file of a snapshot. */
export interface SnapshotFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The settings of a snapshot that services do not have. */
export interface SnapshotOptions {
  /** Digest of the settings that change documents without a change of the content. */
  readonly form: string;
  /** The stemmed languages; null if full-text search is off. */
  readonly search: Manifest['search'];
}

/** Ids in one part of their index. */
const IDS_PER_PART = 512;
/** Postings in one part of a field's words. */
const POSTINGS_PER_PART = 4096;
/** Characters of a table whose files go into the pack, and of the pack. */
const SMALL_TABLE = 64_000;
const MAX_PACK = 128_000;

/**
 * The files of a snapshot of what anonymous visitors see, the manifest last. `services` are those of the API. Files with
 * the same content have the same name in every build.
 */
export async function* snapshotFiles(
  services: Services,
  options: SnapshotOptions,
): AsyncGenerator<SnapshotFile> {
  const { store, settings } = services;
  const tables = new Map([...store.types.values()].map((type) => [type.name, orderTable(services, type)]));
  const records: Record<string, TableRecord> = {};
  const packed: [string, unknown][] = [];
  let packSize = 0;
  for (const table of tables.values()) {
    const { record, files } = await writeTable(services, table, tables, options);
    const size = files.reduce((sum, { text }) => sum + text.length, 0);
    const isPacked = size <= SMALL_TABLE && packSize + size <= MAX_PACK;
    records[table.type.name] = { ...record, isPacked };
    if (isPacked) {
      packSize += size;
      for (const { name, text } of files) packed.push([name, JSON.parse(text)]);
    } else for (const { name, text } of files) yield { name, bytes: encoder.encode(text) };
  }
  const pack = packed.length === 0 ? null : jsonFile('', 'pack', Object.fromEntries(packed));
  if (pack !== null) yield { name: pack.name, bytes: encoder.encode(pack.text) };
  const manifest: Manifest = {
    format: FORMAT,
    form: options.form,
    locale: store.locale,
    settings: publicSettings(settings) as unknown as JsonValue,
    types: [...tables.values()].map(({ type, visible }) => ({
      name: type.name,
      entityType: type.entityType,
      bundle: type.bundle,
      origin: type.origin,
      fields: visible.map((field) => [field.name, field as unknown as JsonValue]),
    })),
    tables: records,
    pack: pack?.name ?? null,
    search: options.search,
  };
  yield { name: MANIFEST, bytes: encoder.encode(JSON.stringify(manifest)) };
}

/** The settings that a reader needs. The others could name folders, roles and bundles that nobody should know of. */
function publicSettings(settings: Services['settings']): Partial<Services['settings']> {
  const { layout: _, hiddenTypes, roles, static: files, signIn, admin, explorer, health, ...rest } = settings;
  return { ...rest, explorer: false, health: false };
}

/** A type with its visible rows in the order of a snapshot. */
interface OrderedTable {
  readonly type: ResourceType;
  readonly visible: readonly FieldDefinition[];
  /** In the order of ids. */
  readonly table: EntityTable;
  /** In the order of the snapshot. */
  readonly entities: readonly Entity[];
  /** The row in `table` of each row. */
  readonly idRows: readonly number[];
  readonly firstRows: ReadonlyMap<string, number>;
}

function orderTable(services: Services, type: ResourceType): OrderedTable {
  const { store, engine } = services;
  const access = services.access(ANONYMOUS, 'source');
  const visibleRows: Entity[] = [];
  let last: string | undefined;
  for (const { id } of store.entities(type.name)) {
    if (id === last) continue;
    last = id;
    const rows = engine.translations(type.name, id, access);
    if (rows instanceof Promise) throw new Error('A snapshot needs an engine in memory.');
    visibleRows.push(...rows.map((entity) => withoutHiddenIds(entity, type, store.types)));
  }
  const table = new EntityTable(type, createOrderings(store.locale), visibleRows);
  const created = new Map<string, number>();
  for (const { id, values } of table.entities)
    if (!created.has(id)) created.set(id, Date.parse(String(values.created)) || 0);
  const idRows = table.entities.map((_, row) => row);
  idRows.sort((a, b) => {
    const [first, second] = [table.entity(a), table.entity(b)];
    return created.get(first.id)! - created.get(second.id)! || compareRows(first, second);
  });
  const entities = idRows.map((row) => table.entity(row));
  const firstRows = new Map<string, number>();
  entities.forEach(({ id }, row) => {
    if (!firstRows.has(id)) firstRows.set(id, row);
  });
  return { type, visible: visibleFields(type, access), table, entities, idRows, firstRows };
}

/** The entity without the ids of references to types that are not in the API. */
function withoutHiddenIds(
  entity: Entity,
  { fields }: ResourceType,
  types: ReadonlyMap<string, ResourceType>,
): Entity {
  const values: Record<string, FieldValue> = Object.assign(Object.create(null), entity.values);
  let isChanged = false;
  for (const { name, kind, list } of fields.values()) {
    const references = kind === 'reference' ? referencesOf(values[name]) : [];
    if (references.every(({ type }) => types.has(type))) continue;
    const shown = references.map(({ type, id }) => ({ type, id: types.has(type) ? id : 'missing' }));
    values[name] = list ? shown : (shown[0] ?? null);
    isChanged = true;
  }
  return isChanged ? { ...entity, values } : entity;
}

interface JsonFile {
  readonly name: string;
  readonly digest: string;
  readonly text: string;
}

function jsonFile(type: string, part: string, content: unknown): JsonFile {
  const text = JSON.stringify(content);
  const digest = digestOf(encoder.encode(text));
  return { name: type === '' ? `${part}.${digest}.json` : fileName(type, part, digest), digest, text };
}

async function writeTable(
  services: Services,
  ordered: OrderedTable,
  tables: ReadonlyMap<string, OrderedTable>,
  options: SnapshotOptions,
): Promise<{ readonly record: Omit<TableRecord, 'isPacked'>; readonly files: readonly JsonFile[] }> {
  const { type, entities, idRows } = ordered;
  const files: JsonFile[] = [];
  const add = (part: string, content: unknown): string => {
    const file = jsonFile(type.name, part, content);
    files.push(file);
    return file.digest;
  };
  const columns: Record<string, string> = {};
  for (const slot of slotsOf(ordered)) {
    const column = columnFile(ordered, slot, tables);
    if (column !== undefined) columns[slot.name] = add(slot.name, column);
  }
  let [blocks, bodies, ids] = ['', '', ''];
  for (let start = 0; start < entities.length; start += BLOCK_ROWS) {
    const rows = entities.slice(start, start + BLOCK_ROWS);
    const number = start / BLOCK_ROWS;
    blocks += add(`block-${number}`, blockFile(services, ordered, rows, tables));
    bodies += add(`body-${number}`, await bodiesFile(services, ordered, rows));
  }
  const parts = Math.ceil(ordered.firstRows.size / IDS_PER_PART);
  const idParts = Array.from({ length: parts }, (): [string, number][] => []);
  for (const [id, row] of ordered.firstRows) idParts[partOfId(id, parts)]!.push([id, row]);
  for (const [number, part] of idParts.entries()) ids += add(`id-${number}`, Object.fromEntries(part));
  const translations = translationsFile(entities);
  return {
    record: {
      rows: entities.length,
      ranks: idRows.every((idRow, row) => idRow === row) ? null : add('ranks', idRows),
      columns,
      blocks,
      bodies,
      ids,
      translations: translations === null ? null : add('translations', translations),
      search: options.search === null ? null : await writeSearch(ordered, options.search, add),
    },
    files,
  };
}

/** The slots that queries can use. */
function slotsOf({ type, visible }: OrderedTable): Slot[] {
  const slots = [ID_SLOT];
  const visit = (definitions: readonly FieldDefinition[]): void => {
    const leaf = definitions.at(-1)!;
    if (definitions.filter(({ list }) => list).length > 1) return;
    const isText = definitions[0]!.kind === 'formatted_text';
    if (leaf.kind !== 'formatted_text' && leaf.name !== 'processed') {
      const names = definitions.map(({ name }) => name);
      const slot = createSlot(type, names, definitions);
      if (!slot.bytes) slots.push(slot);
      if (definitions.some(({ kind }) => kind === 'json')) {
        slots.push(createPresenceSlot(type, names, definitions));
      }
    }
    for (const property of Object.values(leaf.properties)) {
      if (!(isText && property.name === 'processed')) visit([...definitions, property]);
    }
  };
  for (const field of visible) visit([field]);
  return slots;
}

/** Undefined if no row has a value. */
function columnFile(
  { table, idRows }: OrderedTable,
  slot: Slot,
  tables: ReadonlyMap<string, OrderedTable>,
): ColumnFile | undefined {
  const column = table.column(slot);
  const { dictionary, offsets } = column;
  if (dictionary.size === 0 && column.codes.every((code) => code === NULL_CODE) && offsets === null)
    return undefined;
  if (offsets !== null && column.codes.length === 0) return undefined;
  const raws = Array.from({ length: dictionary.size }, (_, code) => dictionary.raw(code));
  const codes: number[] = [];
  const sizes: number[] = [];
  for (const row of idRows) {
    const from = offsets === null ? row : offsets[row]!;
    const end = offsets === null ? row + 1 : offsets[row + 1]!;
    sizes.push(end - from);
    for (let i = from; i < end; i++) codes.push(column.codes[i]!);
  }
  const { classes } = dictionary;
  return {
    raws,
    ...(classes !== null && { classes: [...classes] }),
    codes,
    ...(offsets !== null && { sizes }),
    ...(slot.kind === 'reference' && {
      joins: joinsOf(
        raws.map((raw) => splitReferenceKey(String(raw))),
        tables,
      ),
    }),
  };
}

function joinsOf(
  references: readonly { readonly type: string; readonly id: string }[],
  tables: ReadonlyMap<string, OrderedTable>,
): NonNullable<ColumnFile['joins']> {
  const types = new Set(references.map(({ type }) => type).filter((type) => tables.has(type)));
  return Object.fromEntries(
    [...types].map((name) => [
      name,
      references.map(({ type, id }) => (type === name ? (tables.get(type)?.firstRows.get(id) ?? -1) : -1)),
    ]),
  );
}

function blockFile(
  services: Services,
  { visible }: OrderedTable,
  rows: readonly Entity[],
  tables: ReadonlyMap<string, OrderedTable>,
): BlockFile {
  const targets = new Map<string, Map<string, number>>();
  const access = services.access(ANONYMOUS, 'source');
  const entities = rows.map((entity): EntityRecord => {
    const { id, translation, outdated, aliasSince, body, images, values } = entity;
    const written: [string, FieldValue][] = [];
    for (const { name, list } of visible) {
      const value = values[name] ?? null;
      if (name === 'body' || value === null || (list && Array.isArray(value) && value.length === 0)) continue;
      written.push([name, value]);
      for (const reference of referencesOf(value)) {
        if (services.store.get(reference.type, reference.id) === undefined) continue;
        const ids = targets.get(reference.type) ?? new Map<string, number>();
        targets.set(
          reference.type,
          ids.set(reference.id, tables.get(reference.type)?.firstRows.get(reference.id) ?? -1),
        );
      }
    }
    const hasBody = visible.some(({ name }) => name === 'body');
    return {
      id,
      ...(translation !== undefined && { translation }),
      ...(outdated && { outdated }),
      ...(aliasSince !== undefined && { aliasSince }),
      revision: services.fragments.revision({ services, access }, entity),
      values: Object.fromEntries(written),
      ...(hasBody &&
        body !== null && { body: { bytes: bodyLength(body), format: body.format, summary: body.summary } }),
      ...(hasBody && images && { images }),
    };
  });
  return {
    entities,
    targets: Object.fromEntries([...targets].map(([type, ids]) => [type, Object.fromEntries(ids)])),
  };
}

async function bodiesFile(
  services: Services,
  { visible }: OrderedTable,
  rows: readonly Entity[],
): Promise<BodiesFile> {
  if (!visible.some(({ name }) => name === 'body')) return rows.map(() => null);
  return Promise.all(
    rows.map(async (entity) => {
      const { body } = entity;
      return body === null ? null : { text: bodyText(body), html: await services.renderBody(entity) };
    }),
  );
}

function translationsFile(entities: readonly Entity[]): { groups: number[]; rows: number[] } | null {
  const groups: number[] = [];
  const rows: number[] = [];
  for (let first = 0; first < entities.length; ) {
    let end = first + 1;
    while (end < entities.length && entities[end]!.id === entities[first]!.id) end++;
    const translations = [];
    for (let row = first; row < end; row++)
      if (entities[row]!.translation !== undefined) translations.push(row);
    if (translations.length > 0) groups.push(first, end);
    rows.push(...translations);
    first = end;
  }
  return rows.length === 0 ? null : { groups, rows };
}

/** Writes the words of a type. */
async function writeSearch(
  { type, visible, table, idRows }: OrderedTable,
  { language, languages }: NonNullable<SnapshotOptions['search']>,
  add: (part: string, content: unknown) => string,
): Promise<TableRecord['search']> {
  const store = { types: new Map([[type.name, type]]), table: () => table };
  const fullText = createFullText({ store, language, languages: new Map(Object.entries(languages)) });
  const index = (await fullText.serialize()).types.get(type.name);
  if (index === undefined) return null;
  const rowOfDocument: number[] = [];
  const rowOfKey = new Map<string, number>();
  idRows.forEach((idRow, row) => {
    const { id, translation } = table.entity(idRow);
    rowOfKey.set(translation === undefined ? id : `${id}\u0000${translation}`, row);
  });
  const fields = new Map<
    string,
    { lengths: number[]; documents: number; terms: [string, number[], number[]][] }
  >();
  for (const { documents = [], field } of index.parts()) {
    for (const [key] of documents) rowOfDocument.push(rowOfKey.get(key)!);
    if (field === undefined || !visible.some(({ name }) => name === field.name)) continue;
    const written = fields.get(field.name) ?? {
      lengths: new Array<number>(table.size).fill(0),
      documents: 0,
      terms: [],
    };
    fields.set(field.name, written);
    for (const length of field.lengths) written.lengths[rowOfDocument[written.documents++]!] = length;
    for (const [term, list] of field.terms) {
      const pairs = decodePostings(list).map(
        (posting) => [rowOfDocument[Math.floor(posting / FREQUENCIES)]!, posting % FREQUENCIES] as const,
      );
      pairs.sort(([a], [b]) => a - b);
      written.terms.push([term, pairs.map(([row]) => row), pairs.map(([, count]) => count)]);
    }
  }
  return {
    fields: Object.fromEntries(
      [...fields].map(([name, { lengths, terms }]) => {
        terms.sort(([a], [b]) => (a < b ? -1 : 1));
        const first: string[] = [];
        let parts = '';
        let group: [string, [number[], number[]]][] = [];
        let size = 0;
        const flush = () => {
          if (group.length === 0) return;
          first.push(group[0]![0]);
          parts += add(`words-${name}-${first.length - 1}`, Object.fromEntries(group));
          group = [];
          size = 0;
        };
        for (const [term, rows, counts] of terms) {
          group.push([term, [rows, counts]]);
          size += rows.length + 1;
          if (size >= POSTINGS_PER_PART) flush();
        }
        flush();
        return [name, { lengths: add(`lengths-${name}`, lengths), first, parts }];
      }),
    ),
  };
}

const encoder = new TextEncoder();
