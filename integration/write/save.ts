import { withoutPrototype } from '../entities/base-fields.ts';
import type { Collector } from '../entities/collect.ts';
import { MAX_FILE_BYTES } from '../entities/content-file.ts';
import type { Problem } from '../entities/diagnostic.ts';
import { encodeFile, type FieldChanges } from '../entities/encode/encode-file.ts';
import { UnwritableChangeError } from '../entities/encode/unwritable.ts';
import type { Entity, ResourceType } from '../entities/model.ts';
import { ApiError, ConflictError, InvalidEntityError, NotFoundError, type Violation } from '../errors.ts';
import type { ReadChanges } from './change-set.ts';
import type { EntityInput } from './writer.ts';

/**
 * Makes the bytes of files after changes. Throws a 422 for what a file cannot hold; of the file as a whole, which has
 * errors, a 409.
 */
export function createEncoder({
  collector,
  now,
}: {
  readonly collector: Pick<Collector, 'encoding'>;
  now(): number;
}) {
  return (
    before: Uint8Array | null,
    changes: FieldChanges,
    key: string,
    entity: Entity | null,
    { pointer }: Pick<EntityInput, 'pointer'>,
    id?: string,
  ): Uint8Array => {
    const bundle = collector.encoding(key);
    if (bundle === undefined) throw new ConflictError(`There is no bundle for '${key}' any more.`);
    const at = new Date(now()).toISOString().replace(/\.\d+Z$/, '+00:00');
    try {
      return encodeFile(before, changes, { ...bundle, key, entity, id, now: at });
    } catch (error) {
      if (!(error instanceof UnwritableChangeError)) throw error;
      if (error.path.length === 0) throw new ConflictError(error.message);
      throw new InvalidEntityError([{ detail: error.message, source: { pointer: pointer(error.path) } }]);
    }
  };
}

/**
 * The entity that a file would be, by all the rules that files are read by. Throws a 422 with every error there would
 * be, each where the request says it, and with what was wrong before; a 404 where all that is wrong are references to
 * what is not there; and a 413 where the file would be larger than content may be.
 */
export async function previewEntity(
  collector: Pick<Collector, 'preview'>,
  type: ResourceType,
  key: string,
  bytes: Uint8Array,
  before: Omit<ReadChanges, 'changes'>,
): Promise<Entity> {
  if (bytes.byteLength > MAX_FILE_BYTES) {
    const detail = `The file would have ${bytes.byteLength} bytes, and may have ${MAX_FILE_BYTES}.`;
    throw new ApiError({ status: 413, title: 'Content Too Large', detail });
  }
  const { entity, problems } = await collector.preview(key, bytes);
  const found = problems
    .filter(
      ({ severity, path = [] }) => severity === 'error' && !before.faulty.has(pathOf(path, type)[0] ?? ''),
    )
    .map((problem) => violationOf(problem, type, before));
  const [first, ...others] = [...before.violations, ...found];
  if (first !== undefined) throw new InvalidEntityError([first, ...others, ...before.missing]);
  if (before.missing.length > 0)
    throw new NotFoundError(before.missing.map(({ detail }) => detail).join(' '));
  if (entity === null) throw new Error(`${key} would be no entity, and nothing says why.`);
  return entity;
}

function violationOf(
  { message, hint, path = [] }: Problem,
  type: ResourceType,
  { pointer }: Pick<EntityInput, 'pointer'>,
): Violation {
  const place = pathOf(path, type);
  return { detail: hint === undefined ? message : `${message} ${hint}`, source: { pointer: pointer(place) } };
}

/** A path in the data of a file by the public names of fields. */
function pathOf(
  [key, ...steps]: readonly (string | number)[],
  { fields }: ResourceType,
): readonly [] | readonly [string, ...(string | number)[]] {
  if (key === undefined) return [];
  const field = [...fields.values()].find((each) => each.key === key) ?? fields.get(String(key));
  if (field !== undefined) return [field.name, ...steps];
  return MEANT[key] ?? [String(key), ...steps];
}

/** What keys say that are no fields. */
const MEANT: Readonly<Record<string, readonly [string, ...string[]]>> = withoutPrototype({
  draft: ['status'],
  summary: ['body', 'summary'],
  uuid: ['id'],
});

export function nothingWrong({ pointer }: Pick<EntityInput, 'pointer'>): Omit<ReadChanges, 'changes'> {
  return { violations: [], missing: [], faulty: new Set(), pointer };
}
