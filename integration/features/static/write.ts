import { ANONYMOUS } from '../../core/access/actor.ts';
import type { Services } from '../../core/api/request.ts';
import { FILE_TYPE_NAME } from '../../core/content/file-resource.ts';
import type { GoneEntity } from '../../core/content/ledger.ts';
import {
  bodyLength,
  bodyText,
  type Entity,
  type FieldDefinition,
  type FieldValue,
} from '../../core/content/model.ts';
import { slotsOfFields } from '../../core/engine/store/all-slots.ts';
import { NULL_CODE } from '../../core/engine/store/postings.ts';
import { ID_SLOT, type Slot, splitReferenceKey } from '../../core/engine/store/slot.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import { isGone } from '../../core/read/find.ts';
import { computeRevision } from '../../core/read/fragment.ts';
import { toBase64 } from '../../core/util/base64.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { type AddFile, divide, joinEnd, SIZES, type Sizes } from './divide.ts';
import {
  type BlockFile,
  type BodiesFile,
  type BodyRecord,
  type Chunks,
  type ColumnFile,
  type DeflatedFile,
  digestOf,
  type ExtraRecord,
  FORMAT,
  fileName,
  type GoneFile,
  goneDigest,
  type Instants,
  isAscending,
  MANIFEST,
  type Manifest,
  partOfId,
  type RecentColumn,
  referencesIn,
  type TableRecord,
  type TranslationsFile,
  type ValuesFile,
  writeDeltas,
  writeInstants,
  writeManifest,
  writeNumbers,
  writeValues,
} from './format.ts';
import {
  compressed,
  kindOf,
  largeKinds,
  MAX_PACKED,
  MAX_PACKED_FILE,
  type MeasuredFile,
  measureFile,
} from './measure-file.ts';
import {
  firstPagesById,
  hasOrderOf,
  idOf,
  type OrderedTable,
  orderTable,
  ranksAmong,
} from './order-table.ts';
import { publicSettings } from './public-settings.ts';
import { NO_SEARCH, writeSearch } from './write-search.ts';

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
  readonly sizes?: Sizes;
}

/** Characters of values in the file of their column. */
const MAX_INLINE = 1000;
/** Files that are measured together. */
const BATCH = 64;

/**
 * The files of a snapshot of what anonymous visitors see, the manifest last. `services` are those of the API. Files with
 * the same content have the same name in every build.
 */
export async function* snapshotFiles(
  services: Services,
  options: SnapshotOptions,
): AsyncGenerator<SnapshotFile> {
  const { store } = services;
  const { sizes = SIZES } = options;
  const tables = new Map(
    [...store.types.values()].map((type) => [type.name, orderTable(services, type, sizes)]),
  );
  const records: Record<string, TableRecord> = {};
  const small: MeasuredFile[] = [];
  for (const table of tables.values()) {
    const { record, files } = await writeTable(services, table, tables, options);
    records[table.type.name] = record;
    const large = largeKinds(files.keys());
    for (const batch of divide([...files], BATCH, () => 1)) {
      for (const file of await Promise.all(batch.map((each) => measureFile(each, large)))) {
        if (file.size <= MAX_PACKED_FILE) small.push(file);
        else yield file;
      }
    }
  }
  const moved = await goneFile(services, ({ type, published }) => type === FILE_TYPE_NAME && published);
  const movedText = JSON.stringify(moved);
  const gone =
    moved.length === 0 ? undefined : fileName(FILE_TYPE_NAME, 'gone', digestOf(encoder.encode(movedText)));
  if (gone !== undefined) small.push(await measureFile([gone, movedText], new Set()));
  const packed: Record<string, unknown> = {};
  let packedSize = 0;
  // Few queries need words, ids and bodies.
  const rank = ({ name, size }: MeasuredFile) =>
    size * (/\/(?:words|words-recent|vocabulary|id|body)$/.test(kindOf(name)) ? 4 : 1);
  for (const file of small.sort((a, b) => rank(a) - rank(b))) {
    packedSize += file.size;
    if (packedSize <= MAX_PACKED) packed[file.name] = JSON.parse(file.text);
    else yield file;
  }
  const manifest: Manifest = {
    format: FORMAT,
    form: options.form,
    locale: store.locale,
    settings: await publicSettings(services),
    documents: services.features.documentSegments,
    types: [...tables.values()].map(({ type, visible }) => ({
      name: type.name,
      entityType: type.entityType,
      bundle: type.bundle,
      origin: type.origin,
      ...(services.access(ANONYMOUS).filterFor('view', type) === false && { unseen: true }),
      fields: visible.map((field) => [field.name, field as unknown as JsonValue]),
    })),
    tables: records,
    gone,
    packed,
    search: options.search && publicSearch(options.search, tables),
  };
  yield { name: MANIFEST, bytes: writeManifest(manifest) };
}

/** Without the boosts of types and fields that anonymous visitors do not see. */
function publicSearch(
  { boost, ...search }: SearchLanguages,
  tables: ReadonlyMap<string, OrderedTable>,
): SearchLanguages {
  const shown = Object.entries(boost ?? {}).filter(([type, { field }]) =>
    tables.get(type)?.visible.some(({ name }) => name === field),
  );
  return { ...search, ...(shown.length > 0 && { boost: Object.fromEntries(shown) }) };
}

async function writeTable(
  services: Services,
  ordered: OrderedTable,
  tables: ReadonlyMap<string, OrderedTable>,
  options: SnapshotOptions,
): Promise<{ readonly record: TableRecord; readonly files: ReadonlyMap<string, string> }> {
  const { type, entities, idRows } = ordered;
  const { sizes = SIZES } = options;
  const files = new Map<string, string>();
  const add: AddFile = (part, content) => {
    for (let text = JSON.stringify(content); ; text += ' ') {
      const digest = digestOf(encoder.encode(text));
      const name = fileName(type.name, part, digest);
      // Another content with the same digest gets another text.
      if ((files.get(name) ?? text) !== text) continue;
      files.set(name, text);
      return digest;
    }
  };
  const columns: Record<string, string> = {};
  const recentColumns: Record<string, RecentColumn> = {};
  for (const slot of slotsOf(ordered)) {
    const { column, values, recent } = columnFiles(ordered, slot, tables);
    if (recent !== undefined) recentColumns[slot.name] = recent;
    if (column === undefined) continue;
    columns[slot.name] =
      add(slot.name, column) + (values === undefined ? '' : add(`${slot.name}-values`, values));
  }
  let ids = '';
  const recentIds: [string, number][] = [];
  const parts = Math.ceil(ordered.firstRows.size / sizes.ids);
  const idParts = Array.from({ length: parts }, (): [string, number][] => []);
  for (const [id, row] of ordered.firstRows) {
    const part = row < ordered.recent ? idParts[partOfId(id, parts)]! : recentIds;
    part.push([id, ordered.blockOf.get(id)!]);
  }
  for (const [number, part] of idParts.entries()) ids += add(`id-${number}`, Object.fromEntries(part));
  const translations = translationsFile(entities);
  const access = services.access(ANONYMOUS, 'source');
  const gone = await goneFile(
    services,
    (entry) => entry.type === type.name && isGone(services, access, type, entry.id),
  );
  const copies = firstPagesById(ordered, services.settings.pageSize.default);
  const isById = idRows.every((idRow, row) => idRow === row);
  const search = options.search === null ? NO_SEARCH : await writeSearch(ordered, options.search, sizes, add);
  return {
    record: {
      rows: entities.length,
      order: hasOrderOf(ordered, 'created') ? 'created' : null,
      ranks: isById ? null : add('ranks', writeNumbers(ranksAmong(idRows.slice(0, ordered.recent)))),
      columns,
      recent:
        ordered.recent === entities.length
          ? null
          : {
              rows: entities.length - ordered.recent,
              ranks: isById ? null : writeNumbers(idRows.slice(ordered.recent)),
              columns: recentColumns,
              ids: Object.fromEntries(recentIds),
              ...search.recent,
            },
      blocks: await addBlocks(services, ordered, copies, tables, options, add),
      first: copies.length === 0 ? [] : writeNumbers(copies.flat()),
      ids,
      gone: gone.length === 0 ? null : add('gone', gone),
      translations: translations === null ? null : add('translations', translations),
      words: search.words,
      vocabulary: search.vocabulary,
    },
    files,
  };
}

async function goneFile(
  { gone }: Services,
  isIncluded: (entry: GoneEntity) => boolean | Promise<boolean>,
): Promise<GoneFile> {
  const digests: string[] = [];
  for (const entry of await gone.all()) if (await isIncluded(entry)) digests.push(goneDigest(entry.id));
  return digests.sort();
}

/** The slots that queries can use. */
function slotsOf({ type, visible }: OrderedTable): readonly Slot[] {
  return [ID_SLOT, ...slotsOfFields(type, visible).filter(({ bytes }) => !bytes)];
}

/** A part is missing if none of its rows has a value. */
function columnFiles(
  { table, idRows, recent: recentRow }: OrderedTable,
  slot: Slot,
  tables: ReadonlyMap<string, OrderedTable>,
): { readonly column?: ColumnFile; readonly values?: ValuesFile; readonly recent?: RecentColumn } {
  const column = table.column(slot);
  const { dictionary, offsets } = column;
  const { classes } = dictionary;
  const codesOf = (rows: readonly number[]) => {
    const codes: number[] = [];
    const sizes: number[] = [];
    for (const row of rows) {
      const from = offsets === null ? row : offsets[row]!;
      const end = offsets === null ? row + 1 : offsets[row + 1]!;
      sizes.push(end - from);
      for (let i = from; i < end; i++) codes.push(column.codes[i]!);
    }
    const isEmpty = offsets === null ? codes.every((code) => code === NULL_CODE) : codes.length === 0;
    return { codes, sizes, isEmpty };
  };
  /** `used` are the codes of the values, and `codeOf` has their codes in the file. */
  const write = (
    { codes, sizes }: ReturnType<typeof codesOf>,
    used: readonly number[],
    equal: readonly number[],
    codeOf: (code: number) => number,
  ): ColumnFile => {
    const written = codes.map((code) => (code === NULL_CODE ? 0 : codeOf(code) + 1));
    return {
      size: used.length,
      ...(isAscending(written) ? { rising: writeDeltas(written) } : { codes: writeNumbers(written) }),
      ...(equal.length > 0 && { equal: writeDeltas(equal) }),
      ...(offsets !== null && { sizes: writeNumbers(sizes) }),
      ...(slot.kind === 'reference' && {
        joins: joinsOf(
          used.map((code) => splitReferenceKey(String(dictionary.raw(code)))),
          tables,
        ),
      }),
    };
  };
  const isEqual = (code: number, previous: number | undefined) =>
    classes !== null && previous !== undefined && classes[code] === classes[previous];
  const valuesOf = (used: readonly number[]) => writeValues(used.map((code) => dictionary.raw(code)));

  const base = codesOf(idRows.slice(0, recentRow));
  const recent = codesOf(idRows.slice(recentRow));
  const baseCodes = [...new Set(base.codes)].filter((code) => code !== NULL_CODE).sort((a, b) => a - b);
  const codeInBase = new Map(baseCodes.map((code, i) => [code, i]));
  const baseEqual = [...baseCodes.keys()].filter((i) => isEqual(baseCodes[i]!, baseCodes[i - 1]));
  const file = write(base, baseCodes, baseEqual, (code) => codeInBase.get(code)!);
  const values = valuesOf(baseCodes);
  // Edits often change both. Dates in the order of rows are needed without their values by most queries.
  const isDate = slot.kind === 'datetime' && file.codes !== undefined;
  const isInline = isDate || JSON.stringify(values).length <= MAX_INLINE;
  const all = Array.from({ length: dictionary.size }, (_, code) => code);
  const added = all.filter((code) => !codeInBase.has(code));
  const recentEqual = all.filter(
    (code) => isEqual(code, all[code - 1]) && !(codeInBase.has(code) && codeInBase.has(code - 1)),
  );
  return {
    ...(!base.isEmpty && { column: isInline ? { ...file, values } : file }),
    ...(!base.isEmpty && !isInline && { values }),
    ...(!recent.isEmpty && {
      recent: {
        ...write(recent, added, recentEqual, (code) => code),
        added: writeDeltas(added),
        values: valuesOf(added),
      },
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
      writeNumbers(
        references.map(({ type, id }) =>
          type === name ? (tables.get(type)?.firstRows.get(id) ?? -1) + 1 : 0,
        ),
      ),
    ]),
  );
}

async function addBlocks(
  services: Services,
  { entities, visible, blocks }: OrderedTable,
  copies: readonly (readonly number[])[],
  tables: ReadonlyMap<string, OrderedTable>,
  { form, sizes = SIZES }: SnapshotOptions,
  add: AddFile,
): Promise<Chunks> {
  const fields = visible.filter(({ name }) => name !== 'body');
  const hasBody = fields.length < visible.length;
  const parts = [...blocks, ...copies.map((rows) => rows.map((row) => entities[row]!))];
  let digests = '';
  for (const [number, rows] of parts.entries()) {
    const isCopy = number >= blocks.length;
    const values: [string, readonly (FieldValue | undefined)[]][] = [];
    const instants: [string, Instants][] = [];
    for (const { name, list } of fields) {
      const column = rows.map((entity) => written(entity.values[name], list));
      const steps = writeInstants(column);
      if (steps !== undefined) instants.push([name, steps]);
      else if (column.some((value) => value !== undefined)) values.push([name, column]);
    }
    const bodies = rows.map(({ body }): BodyRecord | null =>
      hasBody && body !== null ? [bodyLength(body), body.format, body.summary] : null,
    );
    const extras = rows.flatMap((entity, index): [number, ExtraRecord][] => {
      const { translation, outdated, aliasSince, images } = entity;
      const other = {
        ...(translation !== undefined && { translation }),
        ...(outdated && { outdated }),
        ...(aliasSince !== undefined && { aliasSince }),
        ...(hasBody && images && { images }),
      };
      return Object.keys(other).length === 0 ? [] : [[index, other]];
    });
    const block: BlockFile = {
      ids: rows.map(({ id }) => id),
      ...revisionsOf(services, rows, visible, form),
      values: Object.fromEntries(values),
      instants: Object.fromEntries(instants),
      ...(bodies.some((body) => body !== null) && {
        bodies,
        texts: await addBodies(services, rows, isCopy ? Number.POSITIVE_INFINITY : sizes.bodies, add),
      }),
      extras: Object.fromEntries(extras),
      targets: writeNumbers(
        referencesIn(Object.fromEntries(values)).map(({ type, id }) =>
          services.store.get(type, id) === undefined ? 0 : (tables.get(type)?.blockOf.get(id) ?? -1) + 2,
        ),
      ),
    };
    digests += add('block', block);
  }
  return { rows: parts.map(({ length }) => length), digests };
}

/** Undefined for a value that readers need not store. */
function written(value: FieldValue | undefined, list: boolean): FieldValue | undefined {
  return value === null || (list && Array.isArray(value) && value.length === 0) ? undefined : value;
}

/** Nothing if readers can compute the revisions, which depend on the texts of bodies. */
function revisionsOf(
  services: Services,
  rows: readonly Entity[],
  visible: readonly FieldDefinition[],
  form: string,
): Pick<BlockFile, 'revisions'> {
  const access = services.access(ANONYMOUS, 'source');
  const revisions = rows.map((entity) => services.fragments.revision({ services, access }, entity));
  const isComputable = rows.every(
    (entity, i) =>
      (entity.body === null || bodyLength(entity.body) === 0) &&
      revisions[i] === computeRevision(services, entity, visible, form),
  );
  return isComputable ? {} : { revisions: revisions.join('') };
}

async function addBodies(
  services: Services,
  entities: readonly Entity[],
  size: number,
  add: AddFile,
): Promise<Chunks> {
  const sizeOf = ({ body }: Entity) => (body === null ? 0 : 2 * bodyLength(body));
  const parts = joinEnd(divide(entities, size, sizeOf, idOf, 2), size / 2, sizeOf);
  let digests = '';
  for (const rows of parts) {
    const bodies: BodiesFile = await Promise.all(
      rows.map(async (entity) => {
        const { body } = entity;
        return body === null ? null : ([bodyText(body), await services.renderBody(entity)] as const);
      }),
    );
    digests += add('body', await deflateLarge(bodies));
  }
  return { rows: parts.map(({ length }) => length), digests };
}

/** Bytes of a file with bodies that is compressed. */
const MIN_DEFLATED = 8000;

async function deflateLarge(bodies: BodiesFile): Promise<BodiesFile | DeflatedFile> {
  const bytes = encoder.encode(JSON.stringify(bodies));
  if (bytes.length < MIN_DEFLATED) return bodies;
  return { deflated: toBase64(new Uint8Array(await compressed(bytes, 'deflate-raw'))) };
}

function translationsFile(entities: readonly Entity[]): TranslationsFile | null {
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
  return rows.length === 0 ? null : { groups: writeDeltas(groups), rows: writeDeltas(rows) };
}

const encoder = new TextEncoder();
