import { type Access, allowsEverything } from '../../core/access/access.ts';
import { OWNER_FIELD } from '../../core/access/role.ts';
import type { ApiRequest } from '../../core/api/request.ts';
import { createKeyReader, type EntityKey } from '../../core/content/file-key.ts';
import { layoutOf } from '../../core/content/layout.ts';
import { bodyIn } from '../../core/content/merge-file.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { Preview } from '../../core/content/preview.ts';
import type { Reader } from '../../core/read/reader.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { isError } from '../../core/source/diagnostic.ts';
import { isHidden } from '../../core/storage/file-name.ts';
import { fileOfKey, normalizeKey } from '../../core/storage/key.ts';
import { bytesInMemory } from '../../core/storage/stored-bytes.ts';
import { NotFoundError, UnauthorizedError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';

/** A file with errors. */
export interface FaultyFile {
  readonly key: string;
  readonly type: ResourceType;
  readonly bytes: Uint8Array;
  readonly preview: Preview;
}

/**
 * True if the actor may correct the files of a type: accounts that see all content, and may change every entry of the type with
 * all fields. A source has everything, and messages about it can name anything. Few accounts may change owners; for the others,
 * the owner in a file stays.
 */
export function mayCorrect(access: Access, { store }: Pick<Reader, 'store'>, type: ResourceType): boolean {
  return (
    allowsEverything(access, 'view', store) &&
    access.filterFor('update', type) === null &&
    [...type.fields.keys()].every((name) => name === OWNER_FIELD || access.fieldWritable(type, name))
  );
}

/** The type of the entries in a file; undefined if the actor may correct none of them. */
export function typeOfFile(
  { services, access }: Pick<ApiRequest, 'services' | 'access'>,
  key: string,
): ResourceType | undefined {
  const type = services.store.types.get(roleOf(services, key)?.type ?? '');
  return type !== undefined && mayCorrect(access, services, type) ? type : undefined;
}

function roleOf({ settings }: Pick<Reader, 'settings'>, key: string): EntityKey | undefined {
  if (normalizeKey(key) !== key || isHidden(key) || fileOfKey(key) !== key) return undefined;
  const { languages, layout } = settings;
  const role = createKeyReader({ languages, layout: layoutOf(layout) })(key);
  return role.role === 'entity' ? role : undefined;
}

/** The file in the path of a request. Throws the same NotFoundError for all that is not a file with errors. */
export async function findFaulty(request: ApiRequest): Promise<FaultyFile> {
  if (request.actor.name === null) throw new UnauthorizedError('Sign in to see files with errors.');
  const { services, target } = request;
  const [, ...segments] = pathSegments(target.rest);
  const key = segments.join('/');
  const type = typeOfFile(request, key);
  const bytes = type && (await services.fileSources.content.read(key));
  const preview = bytes && (await services.preview?.(key, bytes));
  if (type === undefined || bytes === undefined || preview?.problems.some(isError) !== true) {
    throw new NotFoundError('There is no file with errors here that you may correct. It may be correct now.');
  }
  return { key, type, bytes, preview };
}

/** Stands for an entity whose file cannot be read: its text is the only part that is known. */
export function entityOfText({ name }: ResourceType, key: string, bytes: Uint8Array): Entity {
  const text = bodyIn(key, bytes);
  const file = bytesInMemory(new TextEncoder().encode(text ?? ''));
  const format = key.endsWith('.mdx') ? 'mdx' : 'markdown';
  const body =
    typeof text === 'string' ? ({ file, start: 0, end: file.length, format, summary: null } as const) : null;
  return { type: name, id: key, key, revision: digestBytes(bytes), values: {}, published: false, body };
}
