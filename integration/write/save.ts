import type { Collector } from '../entities/collect.ts';
import type { Problem } from '../entities/diagnostic.ts';
import type { Entity, ResourceType } from '../entities/model.ts';
import { ApiError, InvalidEntityError, type Violation } from '../errors.ts';
import { MAX_FILE_BYTES } from '../entities/content-file.ts';
import type { EntityInput } from './writer.ts';

/**
 * The entity that a file would be, by all the rules that files are read by. Throws a 422 with every error there would
 * be, each where the request says it, and a 413 where the file would be larger than content may be.
 */
export async function previewEntity(
  collector: Pick<Collector, 'preview'>,
  type: ResourceType,
  key: string,
  bytes: Uint8Array,
  input: Pick<EntityInput, 'pointer'>,
): Promise<Entity> {
  if (bytes.byteLength > MAX_FILE_BYTES) {
    const detail = `The file would have ${bytes.byteLength} bytes, and may have ${MAX_FILE_BYTES}.`;
    throw new ApiError({ status: 413, title: 'Content Too Large', detail });
  }
  const { entity, problems } = await collector.preview(key, bytes);
  const [first, ...others] = problems
    .filter(({ severity }) => severity === 'error')
    .map((problem) => violationOf(problem, type, input));
  if (first !== undefined) throw new InvalidEntityError([first, ...others]);
  if (entity === null) throw new Error(`${key} would be no entity, and nothing says why.`);
  return entity;
}

function violationOf({ message, hint, path = [] }: Problem, type: ResourceType, { pointer }: Pick<EntityInput, 'pointer'>): Violation {
  const [key, ...steps] = path;
  const field = [...type.fields.values()].find((each) => each.key === key || each.name === key);
  const place = key === undefined ? [] : [field?.name ?? key, ...steps];
  return { detail: hint === undefined ? message : `${message} ${hint}`, source: { pointer: pointer(place) } };
}
