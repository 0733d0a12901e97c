import { ANONYMOUS } from '../core/access/actor.ts';
import { publishedServices } from '../core/api/published.ts';
import type { Entity, FieldDefinition, FieldValue, Reference } from '../core/content/model.ts';
import { createFileLocator } from '../core/content/parse-file.ts';
import { shortTypeName } from '../core/content/resource-type.ts';
import { referencesOf } from '../core/read/serialize.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import {
  type DataPath,
  type Diagnostic,
  distinctProblems,
  FILE_START,
  type Position,
} from '../core/source/diagnostic.ts';
import { formatOf } from '../core/source/formats.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { bytesInMemory } from '../core/storage/stored-bytes.ts';
import { isRecord } from '../core/util/json.ts';

/**
 * Notes about references of entities that visitors see to entities that they do not see: their ids, which are file names,
 * are public. Empty without an API.
 */
export async function hiddenReferences({
  services,
  driver,
}: Pick<Runtime, 'services' | 'driver'>): Promise<readonly Diagnostic[]> {
  if (services.settings.api === false) return [];
  const { store, access: accessOf } = publishedServices(services);
  const access = accessOf(ANONYMOUS, 'source');
  const isHidden = ({ type, id }: Reference) => {
    const targets = store.translations(type, id);
    return targets.length > 0 && !targets.some((target) => access.allows('view', target));
  };
  const notes: Diagnostic[] = [];
  for (const type of store.types.values()) {
    const fields = [...type.fields.values()].filter(({ name }) => access.fieldVisible(type, name));
    for (const entity of store.entities(type.name)) {
      if (!access.allows('view', entity)) continue;
      const found = fields.flatMap((field) => referencesIn(entity, field)).filter(([to]) => isHidden(to));
      if (found.length === 0) continue;
      const locate = await locatorOf(entity, driver);
      notes.push(...found.map(([to, path]) => noteOf(entity, to, path, locate(path))));
    }
  }
  // A file can be an entity of several collections.
  return distinctProblems(notes);
}

function noteOf({ key }: Entity, { type, id }: Reference, path: DataPath, position: Position): Diagnostic {
  return {
    severity: 'info',
    code: 'reference/hidden',
    key: fileOfKey(key),
    ...position,
    message: `Visitors see the id \`${id}\` here, but not \`${shortTypeName(type)}/${id}\` itself.`,
    hint: 'If the id is secret, rename the file, or remove the reference.',
    path,
  };
}

/** The references in a field with the paths of their values. A translation without an own value is left out. */
function referencesIn({ values, translation }: Entity, field: FieldDefinition): readonly FoundReference[] {
  if (translation !== undefined && field.untranslated === true) return [];
  return referencesAt(values[field.name], field, [field.key]);
}

type FoundReference = readonly [Reference, DataPath];

function referencesAt(
  value: FieldValue | undefined,
  field: FieldDefinition,
  path: DataPath,
): readonly FoundReference[] {
  const items: readonly FieldValue[] = field.list && Array.isArray(value) ? value : [value ?? null];
  return items.flatMap((item, index): readonly FoundReference[] => {
    const at = field.list ? [...path, index] : path;
    if (field.kind === 'reference') return referencesOf(item).map((reference) => [reference, at]);
    if (field.kind !== 'object' || !isRecord(item)) return [];
    return Object.entries(field.properties).flatMap(([name, property]) =>
      referencesAt(item[name] as FieldValue | undefined, property, [...at, name]),
    );
  });
}

/** Finds values in the file of an entity: if a list is written as one value, that value. */
async function locatorOf({ key }: Entity, driver: Runtime['driver']): Promise<(path: DataPath) => Position> {
  const bytes = await driver.read(fileOfKey(key));
  const format = formatOf(key);
  if (bytes === undefined || format === undefined) return () => FILE_START;
  const locate = createFileLocator(bytesInMemory(bytes), format);
  return (path) => {
    const paths = path.map((_, index) => path.slice(0, path.length - index));
    return paths.map((each) => locate(each)).find((position) => position !== FILE_START) ?? FILE_START;
  };
}
