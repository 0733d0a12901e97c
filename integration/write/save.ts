import type { Access } from '../access/access.ts';
import { withoutPrototype } from '../content/base-fields.ts';
import type { Collector } from '../content/collect.ts';
import { MAX_FILE_BYTES } from '../content/content-file.ts';
import { PUBLICATION_FLAGS } from '../content/decode/publication.ts';
import { encodeFile, type FieldChanges } from '../content/encode/encode-file.ts';

import type { Entity, ResourceType } from '../content/model.ts';
import { isError, type Problem } from '../source/diagnostic.ts';
import { UnwritableChangeError } from '../source/edit/edit-data.ts';
import { ConflictError, DomainError, InvalidEntityError, type Violation } from '../util/errors.ts';
import type { ReadChanges } from './change-set.ts';
import { NO_FILE } from './upload/files-named.ts';
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

/** A file before and after a change. */
export interface ChangedFile {
  readonly type: ResourceType;
  readonly key: string;
  /** Null for a new file. */
  readonly present: Uint8Array | null;
  readonly bytes: Uint8Array;
}

/**
 * The entity that a file would be, by all the rules that files are read by. Throws a 422 with every error that the
 * change causes, each where the request says it, and with what was wrong before; a 404 where all that is wrong are
 * references to what is not there; and a 413 where the file would be larger than content may be. An error that the file
 * has already, such as a missing image in its body, refuses no change. `hidden` are files that are there,
 * but not for the actor. Nothing is told of fields that the actor does not see.
 */
export async function previewEntity(
  collector: Pick<Collector, 'preview'>,
  access: Pick<Access, 'fieldVisible'>,
  { type, key, present, bytes }: ChangedFile,
  before: Omit<ReadChanges, 'changes'>,
  hidden: readonly Violation[] = [],
): Promise<Entity> {
  if (bytes.byteLength > MAX_FILE_BYTES) {
    const detail = `The file would have ${bytes.byteLength} bytes, and may have ${MAX_FILE_BYTES}.`;
    throw new DomainError('too-large', detail);
  }
  const { entity, problems } = await collector.preview(key, bytes);
  const errors = problems.filter(isError);
  const isHarmless = errors.length > 0 && entity !== null && present !== null;
  const known = isHarmless ? (await collector.preview(key, present)).problems.filter(isError) : [];
  const found = withoutKnown(errors, known)
    .filter(({ path = [] }) => !before.faulty.has(pathOf(path, type)[0] ?? ''))
    .map((problem) => violationOf(problem, type, access, before));
  // In one order, whichever of them are there.
  const files = [...found.filter(({ detail }) => detail === NO_FILE), ...hidden].sort(byPointer);
  const others = found.filter(({ detail }) => detail !== NO_FILE);
  const [first, ...rest] = [...before.violations, ...others, ...files];
  if (first !== undefined) throw new InvalidEntityError([first, ...rest, ...before.missing]);
  const [absent, ...more] = before.missing;
  if (absent !== undefined) throw new InvalidEntityError([absent, ...more], 'not-found');
  if (entity === null) throw new Error(`${key} would be no entity, and nothing says why.`);
  return entity;
}

/** The errors that are not among the known ones, in whichever line and at whichever item of a list these are. */
function withoutKnown(errors: readonly Problem[], known: readonly Problem[]): readonly Problem[] {
  const nameOf = ({ code, path = [], message }: Problem) => JSON.stringify([code, path[0], message]);
  const left = known.map(nameOf);
  return errors.filter((error) => {
    const at = left.indexOf(nameOf(error));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function violationOf(
  { code, message, hint, path = [] }: Problem,
  type: ResourceType,
  access: Pick<Access, 'fieldVisible'>,
  { pointer }: Pick<EntityInput, 'pointer'>,
): Violation {
  const place = pathOf(path, type);
  const source = { pointer: pointer(place) };
  const [name] = place;
  if (name !== undefined && type.fields.has(name) && !access.fieldVisible(type, name)) {
    return { detail: NOT_YOURS, source: { pointer: pointer([]) } };
  }
  switch (code) {
    case 'file/missing':
      return { detail: NO_FILE, source };
    case 'id/duplicate':
      return { detail: 'Another file has this id already. Take another id.', source };
    default:
      return { detail: hint === undefined ? message : `${message} ${hint}`, source };
  }
}

const NOT_YOURS = 'It would lack what you may not give it. Ask somebody who may do more here.';

function byPointer(one: Violation, other: Violation): number {
  const [a = '', b = ''] = [one.source.pointer, other.source.pointer];
  return a < b ? -1 : a > b ? 1 : 0;
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
  ...Object.fromEntries(PUBLICATION_FLAGS.map((flag) => [flag, ['status']])),
  summary: ['body', 'summary'],
  uuid: ['id'],
});

export function nothingWrong({ pointer }: Pick<EntityInput, 'pointer'>): Omit<ReadChanges, 'changes'> {
  return { violations: [], missing: [], faulty: new Set(), pointer };
}
