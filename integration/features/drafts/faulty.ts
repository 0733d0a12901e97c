import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument, readResource } from '../../core/api/jsonapi/deserialize.ts';
import { withFileUris } from '../../core/api/jsonapi/file-uris.ts';
import { checkJsonApiBody } from '../../core/api/media-type.ts';
import {
  type ApiRequest,
  addressOf,
  checkPlainChange,
  pointerIn,
  preconditionsOf,
  type ReadRequest,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import type { Entity } from '../../core/content/model.ts';
import type { SerializedBody } from '../../core/read/compose.ts';
import type { OptionsDocument } from '../../core/read/document-types.ts';
import { visibleEntities } from '../../core/read/find.ts';
import { createServerLinks } from '../../core/read/links.ts';
import { isError } from '../../core/source/diagnostic.ts';
import { ConflictError, InvalidEntityError, NotFoundError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { readChanges } from '../../core/write/changes.ts';
import { encodeChanges } from '../../core/write/save.ts';
import { type FaultyFile, findFaulty } from './faulty-files.ts';
import type { Saving } from './open-draft.ts';
import { readableEntity } from './readable.ts';
import { FAULTY_SEGMENT } from './routes.ts';
import { saveText } from './save-text.ts';
import { optionsDocument, shortcomingsOf, unfinishedDocument, withFileTimes } from './unfinished.ts';

/** `GET /jsonapi/_faulty/{file}`: the fields that can be read in a file with errors, as a resource of its type. */
export async function showFaulty(request: ApiRequest): Promise<SerializedBody> {
  checkJsonApiAccept(request.headers.get('accept'));
  return faultyDocument(request, await findFaulty(request));
}

/** The methods of such an address, and the fields that can be changed. */
export async function describeFaulty(request: ReadRequest): Promise<OptionsDocument> {
  const { access, target } = request;
  const file = await findFaulty(request);
  const entity = readable(file);
  return optionsDocument(methodsOf(target.route), file.type, (name) =>
    access.fieldWritable(file.type, name, 'update', entity),
  );
}

/** `PATCH /jsonapi/_faulty/{file}` changes fields of a file with errors. */
export async function writeFaulty(request: WriteRequest, { now }: Saving): Promise<WriteResponse> {
  const { services, target, headers, access } = request;
  checkJsonApiAccept(headers.get('accept'));
  checkPlainChange(request);
  const file = await findFaulty(request);
  const { key, type } = file;
  checkJsonApiBody(request);
  const document = await withFileUris(services, readDocument(await request.body('bodyBytes')));
  const input = readResource(document, type, access, readable(file).id);
  const operation = saveText(
    { type, key, when: preconditionsOf(request) },
    async (bytes, { preview }, { reader, writer, collector }) => {
      const entity = readable({ key, type, bytes, preview });
      const targets = visibleEntities(reader, writer.access);
      const requested = await readChanges(writer, type, entity, input, { reader, targets });
      const [first, ...others] = [...requested.violations, ...requested.missing];
      if (first !== undefined) throw new InvalidEntityError([first, ...others]);
      return encodeChanges(collector, { type, key, current: { entity, bytes } }, requested, now());
    },
    (path) => input.pointer(path),
  );
  const { job } = await request.writer.perform(writerOf(request), [operation]);
  const response = { job, pointerOf: pointerIn(input) };
  const bytes = await services.fileSources.content.read(key);
  const preview = bytes && (await services.preview?.(key, bytes));
  if (bytes === undefined || preview === undefined)
    throw new NotFoundError('The file was removed meanwhile.');
  const { entity } = preview;
  const stored = entity && services.store.get(entity.type, entity.id, entity.translation);
  if (stored !== null && stored !== undefined && !preview.problems.some(isError)) {
    const location = createServerLinks(services.settings, target.origin, access).individual(type, stored.id);
    const written = await unfinishedDocument(request, type, stored, location, {});
    return { ...response, outcome: 'changed', written };
  }
  return {
    ...response,
    outcome: 'changed',
    written: await faultyDocument(request, { ...file, bytes, preview }),
  };
}

async function faultyDocument(request: ApiRequest, file: FaultyFile): Promise<SerializedBody> {
  const { key, type, bytes, preview } = file;
  const self = addressOf(request, FAULTY_SEGMENT, ...key.split('/'));
  const meta = { revision: digestBytes(bytes), faulty: shortcomingsOf(request, type, preview.problems) };
  const entity = await withFileTimes(request, readable(file), key);
  return unfinishedDocument(request, type, entity, self, meta);
}

function readable({ key, type, bytes, preview }: FaultyFile): Entity {
  const entity = readableEntity(preview, type, bytes);
  if (entity !== undefined) return entity;
  throw new ConflictError(`The fields in ${key} cannot be read. Correct the text of the file first.`);
}
