import {
  type Collector,
  type ContentTarget,
  createCollector,
} from '../../../integration/core/content/collect.ts';
import type { CollectorOptions } from '../../../integration/core/content/decode/decode.ts';
import type { Entity, FieldDefinition, FieldValue } from '../../../integration/core/content/model.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import { type Diagnostic, formatDiagnostics } from '../../../integration/core/source/diagnostic.ts';
import type { FileHistory, StorageDriver, WritableDriver } from '../../../integration/core/storage/driver.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface CollectSettings extends Partial<CollectorOptions> {
  readonly schema?: SchemaDefinition;
  readonly history?: Readonly<Record<string, FileHistory>>;
  readonly target?: ContentTarget;
  readonly nextTurn?: (callback: () => void) => void;
}

/** The result of collecting a set of files, in forms that are easy to compare. */
export interface Collected {
  readonly driver: WritableDriver;
  readonly collector: Collector;
  readonly types: readonly string[];
  /** Ids such as `node--article/a`, in order. */
  readonly ids: readonly string[];
  entity(key: string): Entity;
  values(key: string): Readonly<Record<string, FieldValue>>;
  field(type: string, name: string): FieldDefinition;
  readonly diagnostics: readonly Diagnostic[];
  /** Errors and warnings as printed, without the count. */
  readonly problems: readonly string[];
}

export function createTestCollector(driver: StorageDriver, settings: CollectSettings = {}): Collector {
  const { schema, published = {}, danglingReferences = 'error', defaultLangcode = 'en' } = settings;
  const { aliases = {}, titles, languages, timeZone, layout, problems, target, nextTurn } = settings;
  const options: CollectorOptions = {
    published,
    danglingReferences,
    defaultLangcode,
    aliases,
    titles,
    languages,
    timeZone,
    ...(layout && { layout }),
    ...(problems && { problems }),
  };
  return createCollector({ driver, schema, options, target, ...(nextTurn && { nextTurn }) });
}

export async function collect(files: Files, settings: CollectSettings = {}): Promise<Collected> {
  const driver = createMemoryDriver(files, settings.history);
  const collector = createTestCollector(driver, settings);
  const { types, entities } = await collector.load();
  const diagnostics = collector.diagnostics();

  function entity(key: string): Entity {
    const match = entities.find((each) => each.key === key);
    if (match === undefined) {
      throw new Error(`No entity of ${key}.\n${formatDiagnostics(diagnostics, { root: 'content' })}`);
    }
    return match;
  }

  return {
    driver,
    collector,
    types: types.map((type) => type.name),
    ids: entities.map(({ type, id }) => `${type}/${id}`).sort(),
    entity,
    values: (key) => entity(key).values,
    field(type, name) {
      const found = types.find((each) => each.name === type)?.fields.get(name);
      if (found === undefined) {
        throw new Error(`No field ${name} of ${type}.`);
      }
      return found;
    },
    diagnostics,
    problems: printDiagnostics(diagnostics.filter(({ severity }) => severity !== 'info')),
  };
}

/** One line each. */
export function printDiagnostics(diagnostics: readonly Diagnostic[]): readonly string[] {
  return formatDiagnostics(diagnostics, { root: 'content' }).split('\n').slice(0, -1);
}
