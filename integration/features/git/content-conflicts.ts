import { type Access, allowsEverything } from '../../core/access/access.ts';
import type { Collector } from '../../core/content/collect.ts';
import type { Entity, FieldDefinition, ResourceType } from '../../core/content/model.ts';
import type { Reader } from '../../core/read/reader.ts';
import { fieldText, serializeField } from '../../core/read/serialize.ts';
import { isVisible } from '../../core/read/translations.ts';
import { formatOf } from '../../core/source/formats.ts';
import type { JsonValue } from '../../core/util/json.ts';
import type { VisibleConflict as VisiblePart } from '../../core/write/commits.ts';
import { SET_BY_SERVER } from '../../core/write/permissions.ts';
import type { ConflictStore, StoredConflict } from './conflicts.ts';

/** Changes that others have overtaken, with the entities of both sides. */
export interface DecodedConflicts {
  list(): Promise<readonly DecodedConflict[]>;
  /** Marks fields as decided; undefined removes the conflict on all servers. */
  resolve(conflict: DecodedConflict, fields: readonly string[] | undefined): Promise<void>;
}

export interface DecodedConflict extends StoredConflict {
  readonly sides: Sides | undefined;
}

/** Undefined for a removed entity. */
interface Sides {
  readonly mine: Entity | undefined;
  readonly theirs: Entity | undefined;
  /** Our version as if it had another time. Fields that differ are not stored in the file. */
  readonly later: Entity | undefined;
  /** Names in our version that are not fields today, because the only file that had them is removed. */
  readonly unknown: readonly string[];
}

/** What an actor may see of a conflict, and decide. */
export interface VisibleConflict extends VisiblePart {
  readonly conflict: DecodedConflict;
  readonly type: ResourceType | undefined;
  /** The entity as it is now; undefined if it does not exist. */
  readonly present: Entity | undefined;
  /** The version that was on the branch before; of today if its file was removed or moved. */
  readonly theirs: Entity | undefined;
  readonly fields: readonly FieldDefinition[];
  /** True if these are all fields that are not decided yet. */
  readonly isWhole: boolean;
}

export function createConflicts(
  store: ConflictStore,
  { previewPastVersion, preview }: Pick<Collector, 'previewPastVersion' | 'preview'>,
  content: { readonly version: number },
): DecodedConflicts {
  let decoded:
    | {
        readonly stored: readonly StoredConflict[];
        readonly version: number;
        readonly conflicts: readonly DecodedConflict[];
      }
    | undefined;

  /** Undefined if a side cannot be read. */
  async function decode({ key, at, mine, theirs }: StoredConflict): Promise<Sides | undefined> {
    if (formatOf(key) === undefined) return undefined;
    const sides: (Entity | undefined)[] = [];
    for (const [bytes, seconds] of [
      [mine, at],
      [theirs, at],
      [mine, at + 1],
    ] as const) {
      const entity = bytes && (await previewPastVersion(key, bytes, seconds)).entity;
      if (entity === null) return undefined;
      sides.push(entity);
    }
    const [entity, other, later] = sides;
    const names = mine && theirs === undefined ? (await preview(key, mine)).entity?.values : {};
    const unknown = Object.keys(names ?? {}).filter((name) => entity && !(name in entity.values));
    return { mine: entity, theirs: other, later, unknown };
  }

  return {
    async list() {
      const { version } = content;
      const stored = await store.list();
      if (decoded?.stored !== stored || decoded.version !== version) {
        const conflicts: DecodedConflict[] = [];
        for (const each of stored) conflicts.push({ ...each, sides: await decode(each) });
        decoded = { stored, version, conflicts };
      }
      return decoded.conflicts;
    },
    resolve: (conflict, fields) => store.resolve(conflict, fields),
  };
}

/**
 * What an actor may see of a conflict: undefined unless the actor may make the change that was lost. Both sides and the present
 * entity have to be visible.
 */
export async function visibleConflict(
  reader: Reader,
  access: Access,
  conflict: DecodedConflict,
): Promise<VisibleConflict | undefined> {
  const { store } = reader;
  const { sides, resolved } = conflict;
  const entity = sides?.mine ?? sides?.theirs;
  if (sides === undefined || entity === undefined) {
    if (!allowsEverything(access, 'update', store)) return undefined;
    const none = { type: undefined, present: undefined, entity: undefined, theirs: undefined, fields: [] };
    return { conflict, kind: 'file', ...none, isWhole: true };
  }
  const { mine, theirs } = sides;
  const type = store.types.get(entity.type);
  if (type === undefined) return undefined;
  const mayView = (each: Entity | undefined) => each === undefined || access.allows('view', each);
  if (!mayView(mine) || !mayView(theirs)) return undefined;
  const present = store.get(type.name, entity.id, entity.translation);
  if (present !== undefined && !(await isVisible({ services: reader, access }, present))) return undefined;
  const before = theirs ?? present;
  const common = { conflict, type, present, entity, theirs: before };
  if (mine === undefined) {
    if (present === undefined || !access.allows('delete', present)) return undefined;
    return { ...common, kind: 'removed-here', fields: [], isWhole: true };
  }
  if (present === undefined) {
    const isComplete = [...type.fields.keys()].every((name) => access.fieldVisible(type, name));
    if (!isComplete || !access.allows('create', mine)) return undefined;
    return { ...common, kind: 'removed-by-others', fields: [], isWhole: true };
  }
  const open = storedFields(reader, conflict, type).filter(
    (field) =>
      !resolved.includes(field.name) &&
      fieldText(reader, mine, field) !== fieldText(reader, before ?? mine, field),
  );
  const fields = open.filter(({ name }) => access.fieldWritable(type, name, 'update', present));
  // Nothing but comments or the order of keys may differ.
  if (fields.length === 0 && (open.length > 0 || !access.allows('update', present))) return undefined;
  return { ...common, kind: 'fields', fields, isWhole: fields.length === open.length };
}

/** The conflicts of these ids that the actor may decide. */
export async function visibleConflicts(
  conflicts: DecodedConflicts | undefined,
  { services, access }: { readonly services: Reader; readonly access: Access },
  ids?: readonly string[],
): Promise<readonly VisibleConflict[]> {
  const visible: VisibleConflict[] = [];
  for (const conflict of (await conflicts?.list()) ?? []) {
    if (ids?.includes(conflict.id) === false) continue;
    const found = await visibleConflict(services, access, conflict);
    if (found !== undefined) visible.push(found);
  }
  return visible;
}

/** The fields of the lost version that its file has, and that a change can set. */
export function storedFields(
  reader: Reader,
  { sides }: DecodedConflict,
  { fields }: ResourceType,
): readonly FieldDefinition[] {
  const { mine, later } = sides ?? {};
  return [...fields.values()].filter(
    (field) =>
      !SET_BY_SERVER.has(field.name) &&
      mine !== undefined &&
      later !== undefined &&
      fieldText(reader, mine, field) === fieldText(reader, later, field),
  );
}

/** The stored value of a field as JSON, which a change of the field accepts. The body is not rendered. */
export async function conflictValue(
  reader: Reader,
  entity: Entity | undefined,
  field: FieldDefinition,
): Promise<JsonValue> {
  if (entity === undefined) return null;
  return serializeField({ ...reader, renderBody: async () => '' }, entity, field).then((value) =>
    field.name === 'body' && value !== null && typeof value === 'object' && !Array.isArray(value)
      ? withoutHtml(value as { readonly [name: string]: JsonValue })
      : value,
  );
}

function withoutHtml({
  processed: _,
  format: __,
  ...body
}: {
  readonly [name: string]: JsonValue;
}): JsonValue {
  return body;
}
