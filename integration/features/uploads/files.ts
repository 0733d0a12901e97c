import { z } from 'zod';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import { pageLinks } from '../../core/api/jsonapi/document.ts';
import { checkFileBody } from '../../core/api/media-type.ts';
import {
  type ApiRequest,
  addressOf,
  checkMethod,
  checkWithoutLanguage,
  noContent,
  preconditionsOf,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { changesContent, mayUseUnusedFile } from '../../core/api/unused-files.ts';
import {
  type FileLocation,
  fileAt,
  isOutside,
  isServable,
  uriOf,
  urlOf,
  writtenAs,
} from '../../core/content/file-location.ts';
import { layoutOf } from '../../core/content/layout.ts';
import { languageOf } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { canSeeFile, hasReferrers } from '../../core/read/content-files.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { findEntity } from '../../core/read/find.ts';
import { createRequestPager } from '../../core/read/links.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { mediaTypeOf } from '../../core/storage/file-source.ts';
import { lastSegment } from '../../core/storage/key.ts';
import {
  BadParameterError,
  ConflictError,
  ForbiddenError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
  withSource,
} from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { extensionOf, isUploadable } from '../../core/write/file-types.ts';
import { bundleFolder, pathIn } from '../../core/write/new-file.ts';
import { badBody } from '../../core/write/request-json.ts';
import { altTextsOf } from './alt-texts.ts';
import { checkExtension, checkPixels } from './check-file.ts';
import type { FileCommands, PlacedFile } from './file-commands.ts';
import { fileUsers } from './file-users.ts';
import { type ListedFile, type MediaFile, parseFilesQuery } from './files-query.ts';
import { foldersIn, isFolderUri, isInFolder } from './folders.ts';
import { checkNames } from './move-files.ts';
import { FILES_SEGMENT } from './routes.ts';
import { uploadName } from './store-body.ts';
import { checkMayChangeFile } from './stored-files.ts';
import { checkNewFile } from './upload.ts';

/**
 * `GET /jsonapi/_files`: the files that content can use, as far as the actor may see them. Alternative texts belong to the
 * field or body that uses a file; `meta.alt` has the one of the last use.
 */
export async function listFiles(request: ApiRequest): Promise<SerializedBody> {
  checkMayUseFiles(request);
  const { services, target, work } = request;
  const query = parseFilesQuery(target.query, services.settings);
  const from =
    query.beside === undefined ? undefined : fileBeside(request, await findBeside(request, query.beside));
  const listed: ListedFile[] = [];
  for (const file of await allFiles(request)) {
    const pause = work.pause();
    if (pause !== undefined) await pause;
    if (!query.matches(file) || !(await isVisible(request, file))) continue;
    const each = await withUse(request, file);
    if (query.hasWords(each) && (query.used ?? each.users.length > 0) === each.users.length > 0)
      listed.push(each);
  }
  const files = listed.filter(({ file }) => isInFolder(file, query.folder)).sort(query.compare);
  const { offset, limit } = query.page;
  const data: unknown[] = [];
  for (const each of files.slice(offset, offset + limit)) data.push(await fileResource(request, each, from));
  const pager = createRequestPager(addressOf(request, FILES_SEGMENT), target.query);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data,
    meta: {
      count: files.length,
      folders: foldersIn(
        query.folder,
        files.map(({ file }) => file),
      ),
    },
    links: { self: { href: pager.self }, ...pageLinks(pager, query.page, files.length) },
  });
}

/** `GET /jsonapi/_files/{source}/{path}`: also the revision of its bytes, for `If-Match`. */
export async function showFile(request: ApiRequest): Promise<SerializedBody> {
  const file = await findFile(request);
  parseQuery(request.target.query, 'individual', request.services.settings);
  return fileDocument(request, file);
}

/** `POST /jsonapi/_files?beside=…`. */
export async function addFile(request: WriteRequest, { storeFile }: FileCommands): Promise<WriteResponse> {
  const { services, target, headers, method } = request;
  checkMethod(method, methodsOf(target.route));
  checkMayUseFiles(request);
  checkWithoutLanguage(request);
  const { beside } = parseFilesQuery(target.query, services.settings);
  if (beside === undefined) {
    throw new BadParameterError(
      'beside',
      'Add beside=<type> for the folder of a bundle, beside=<type>/<id> for the folder of an entity, or beside=content://<folder>.',
    );
  }
  const place = await findBeside(request, beside);
  checkFileBody(request);
  const name = uploadName(headers);
  // Check before reading the bytes, because there may be many.
  const { extension } = checkNewFile(writerOf(request), place, name);
  const bytes = await request.bytes('uploadBytes');
  checkPixels(bytes, extension, services.settings.limits.imagePixels);
  const { key, job } = await storeFile(writerOf(request), place, { name, bytes });
  const file = await storedFile(request, key);
  const written = await fileDocument(request, file, fileBeside(request, place));
  return { outcome: 'created', job, written, headers: { location: fileAddress(request, file) } };
}

/** `PUT`, `PATCH` and `DELETE /jsonapi/_files/{source}/{path}`. */
export async function changeFile(request: WriteRequest, commands: FileCommands): Promise<WriteResponse> {
  const { replaceFile, removeFile } = commands;
  const { services, target, method, access } = request;
  checkMethod(method, methodsOf(target.route));
  if (method === 'PATCH') return moveFile(request, commands);
  const { source, key } = await findFile(request);
  checkWithoutLanguage(request);
  parseQuery(target.query, 'individual', services.settings);
  if (source === 'public' || isOutside(key)) {
    throw new ForbiddenError(
      'Pages of the site can use files outside of the content folder, so these change only with its code.',
    );
  }
  const by = writerOf(request);
  checkMayChangeFile(by, services.store);
  const when = preconditionsOf(request);
  if (method === 'DELETE') return noContent(await removeFile(by, key, when));
  checkFileBody(request);
  const extension = extensionOf(key);
  try {
    checkExtension(extension, 'file', access.has('use raw html'));
    const bytes = await request.bytes('uploadBytes');
    checkPixels(bytes, extension, services.settings.limits.imagePixels);
    const { job } = await replaceFile(by, key, bytes, when);
    return { outcome: 'changed', job, written: await fileDocument(request, await storedFile(request, key)) };
  } catch (error) {
    // The name is that of the address, so only the body can be wrong.
    throw error instanceof InvalidEntityError ? withSource(error, () => ({ pointer: '' })) : error;
  }
}

const move = z.object({
  data: z.object({
    type: z.enum(['file--file', 'file--folder']),
    id: z.string(),
    attributes: z.object({ uri: z.object({ value: z.string() }) }),
  }),
});

/** `PATCH`: moves or renames a file, or all files of a folder, and changes their paths in the content. */
async function moveFile(request: WriteRequest, { moveFiles }: FileCommands): Promise<WriteResponse> {
  checkMayUseFiles(request);
  checkWithoutLanguage(request);
  const { services, target } = request;
  parseQuery(target.query, 'individual', services.settings);
  checkMayChangeFile(writerOf(request), services.store);
  const { data, error } = move.safeParse(readDocument(await request.body('bodyBytes')));
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw badBody(`${issue.message}.`, `/${issue.path.join('/')}`);
  const { type, id, attributes } = data!.data;
  const [, source = '', ...path] = pathSegments(target.rest);
  const from = path.join('/');
  if (id !== `${source}://${from}`) {
    throw new ConflictError('The id must be the URI of the file in the address.', { pointer: '/data/id' });
  }
  const to = fileAt(attributes.uri.value);
  if (source !== 'content' || to?.source !== 'content') {
    throw new ForbiddenError('Only files of the content folder can be moved, and only inside of it.');
  }
  const by = writerOf(request);
  if (type === 'file--file') {
    const { key } = await findFile(request);
    return noContent(await moveFiles(by, new Map([[key, to.key]]), preconditionsOf(request)));
  }
  if (from === '' || to.key === '')
    throw badBody('Name a folder of the content, not the content itself.', '/data/id');
  const inFolder: string[] = [];
  for (const file of await allFiles(request)) {
    if (isInFolder(file, id) && file.source === 'content' && (await isVisible(request, file)))
      inFolder.push(file.key);
  }
  if (inFolder.length === 0) throw new NotFoundError(`The folder '${from}' does not exist, or has no files.`);
  return noContent(
    await moveFiles(by, new Map(inFolder.map((key) => [key, to.key + key.slice(from.length)]))),
  );
}

/** Throws unless the sender may create or update an entity. */
function checkMayUseFiles(request: ApiRequest): void {
  checkJsonApiAccept(request.headers.get('accept'));
  if (request.actor.name === null) throw new UnauthorizedError('Sign in to use files.');
  if (changesContent(request)) return;
  throw new ForbiddenError('Only accounts that may create or change content can use files.');
}

async function allFiles({ services: { fileSources, settings } }: ApiRequest): Promise<readonly MediaFile[]> {
  const listed = await Promise.all(
    (['content', 'public'] as const).map(async (source) => {
      const files = await fileSources[source].list();
      return files.map((file): MediaFile => ({ ...file, source }));
    }),
  );
  const layout = layoutOf(settings.layout);
  return listed
    .flat()
    .filter((file) => isServable(file, layout) && !HIDDEN.test(file.key) && isUploadable(file.key));
}

/** Path segments with a leading dot. */
const HIDDEN = /(?:^|\/)\./;

async function isVisible(request: ApiRequest, { source, key }: FileLocation): Promise<boolean> {
  const { services, access } = request;
  if (source === 'public') return true;
  if (await hasReferrers(services, key)) return canSeeFile(services, access, key);
  return mayUseUnusedFile(request, key);
}

/** The file in the path. Throws the same NotFoundError for a hidden and for a missing file. */
async function findFile(request: ApiRequest): Promise<MediaFile> {
  checkMayUseFiles(request);
  const [, source = '', ...path] = pathSegments(request.target.rest);
  const key = path.join('/');
  const isFile = (source === 'content' || source === 'public') && isUploadable(key) && !HIDDEN.test(key);
  const layout = layoutOf(request.services.settings.layout);
  if (isFile && isServable({ source, key }, layout) && (await isVisible(request, { source, key }))) {
    const file = await request.services.fileSources[source].stat(key);
    if (file !== undefined) return { ...file, source };
  }
  throw new NotFoundError(`The file '${[source, ...path].join('/')}' does not exist, or you may not see it.`);
}

/** A file that was just written. */
async function storedFile({ services }: ApiRequest, key: string): Promise<MediaFile> {
  const file = await services.fileSources.content.stat(key);
  if (file === undefined) throw new NotFoundError(`The file '${key}' was removed.`);
  return { ...file, source: 'content' };
}

/** The bundle, the entity or the folder in `beside`. */
async function findBeside({ services, access }: ApiRequest, beside: string): Promise<PlacedFile> {
  if (isFolderUri(beside)) {
    const folder = beside.slice('content://'.length);
    const file = layoutOf(services.settings.layout)(`${folder}/new.md`);
    const type = file.role === 'entity' ? services.store.types.get(file.type) : undefined;
    if (beside.startsWith('content://') && type !== undefined) {
      checkNames(folder);
      return { type, entity: null, folder };
    }
    throw new BadParameterError(
      'beside',
      'Files can only be stored in folders of bundles, for example content://article/2024.',
    );
  }
  const [name = '', ...id] = beside.split('/');
  const type = services.store.types.get(name);
  if (type === undefined) {
    const names = [...services.store.types.keys()].join(', ');
    throw new BadParameterError('beside', `The type '${name}' does not exist. Types: ${names}.`);
  }
  return { type, entity: id.length === 0 ? null : await findEntity(services, access, type, id) };
}

/** The key of the entity's file; for a new entity, one in the folder of the bundle. */
function fileBeside({ services }: ApiRequest, { type, entity, folder }: PlacedFile): string {
  return entity?.key ?? pathIn(folder ?? bundleFolder(type, services), 'new.md');
}

function fileAddress(request: ApiRequest, { source, key }: FileLocation): string {
  return addressOf(request, FILES_SEGMENT, source, ...key.split('/'));
}

async function fileDocument(request: ApiRequest, file: MediaFile, from?: string): Promise<SerializedBody> {
  const data = await fileResource(request, await withUse(request, file), from);
  const bytes = await request.services.fileSources[file.source].read(file.key);
  const meta = { ...data.meta, ...(bytes && { revision: digestBytes(bytes) }) };
  return writeJson({ jsonapi: JSONAPI_MEMBER, data: { ...data, meta }, links: { self: data.links.self } });
}

/** `from`: the file of an entity, for the path as its author writes it. */
async function fileResource(
  { services, ...request }: ApiRequest,
  { file, users, alts, altsByLanguage }: ListedFile,
  from: string | undefined,
) {
  const { size, width, height } = (await services.fileSources[file.source].facts(file.key)) ?? {
    size: file.size,
    width: null,
    height: null,
  };
  return {
    type: 'file--file',
    id: uriOf(file),
    attributes: {
      uri: { value: uriOf(file), url: urlOf(file, services.settings.base) },
      filename: lastSegment(file.key),
      filemime: mediaTypeOf(file.key),
      filesize: size,
      width,
      height,
      changed: file.mtimeMs === 0 ? null : new Date(file.mtimeMs).toISOString(),
    },
    relationships: {
      usedBy: {
        data: users.slice(0, MAX_USERS).map(({ type, id, title, fields }) => {
          return { type: type.name, id, meta: { title, fields } };
        }),
        meta: { count: users.length },
      },
    },
    meta: {
      alt: alts[0] ?? null,
      alts: altsByLanguage,
      ...(from !== undefined && { src: writtenAs(file, from) }),
    },
    links: { self: { href: fileAddress({ services, ...request }, file) } },
  };
}

/** Adds the uses of a file that the actor may see. */
async function withUse({ services, access }: ApiRequest, file: MediaFile): Promise<ListedFile> {
  const users = await fileUsers(services, access, file);
  const uri = uriOf(file);
  const uses = users
    .flatMap(({ type, fields, entities }) =>
      entities.map((entity) => ({
        language: languageOf(entity),
        changedMs: Date.parse(String(entity.values.changed ?? '')) || 0,
        alts: altTextsOf(type, entity).filter((each) => each.uri === uri && fields.includes(each.field)),
      })),
    )
    .sort((one, other) => other.changedMs - one.changedMs);
  const alts = new Set(uses.flatMap((use) => use.alts.map(({ alt }) => alt)));
  const altsByLanguage = Object.fromEntries(
    uses.toReversed().flatMap(({ language, alts: [first] }) => (first ? [[language, first.alt]] : [])),
  );
  return { file, users, alts: [...alts], altsByLanguage, usedMs: uses[0]?.changedMs ?? 0 };
}

/** Users of a file that a document lists. */
const MAX_USERS = 50;
