import { z } from 'zod';
import { allowsEverything } from '../../core/access/access.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import {
  type ApiRequest,
  addressOf,
  checkPlainChange,
  noContent,
  type RouteHandlers,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { mayUseUnusedFile } from '../../core/api/unused-files.ts';
import { isOutside, uriOf } from '../../core/content/file-location.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { findContentFile } from '../../core/read/content-files.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { withJobs } from '../../core/server/jobs.ts';
import {
  ConflictError,
  ForbiddenError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
} from '../../core/util/errors.ts';
import { changeOfFiles } from '../../core/write/change-of-files.ts';
import { badBody } from '../../core/write/request-json.ts';
import type { Operation } from '../../core/write/writer.ts';
import { canCrop, cropKey, readCrop } from './crop-facts.ts';
import { cropChanges, cropFaults, editCrop } from './crop-file.ts';
import { CROPS_SEGMENT } from './routes.ts';

export const CROP_HANDLERS: RouteHandlers = {
  crop: { answer: showCrop, write: withJobs(changeCrop) },
};

const RESOURCE_TYPE = 'crop';

/** `GET /jsonapi/_crops/content/{path}`: how an image is shown. All attributes are null for an image that is shown as it is. */
async function showCrop(request: ApiRequest): Promise<SerializedBody> {
  checkJsonApiAccept(request.headers.get('accept'));
  const { services, target } = request;
  parseQuery(target.query, 'individual', services.settings);
  const key = await findImage(request);
  const file = await readCrop(services.fileSources.content, key);
  const { crop = null, focus = null, rotation = null } = file?.crop ?? {};
  const self = addressOf(request, CROPS_SEGMENT, 'content', ...key.split('/'));
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: {
      type: RESOURCE_TYPE,
      id: uriOf({ source: 'content', key }),
      attributes: { crop, focus, rotation },
      meta: { problems: (file?.problems ?? []).map(({ message }) => message) },
      links: { self: { href: self } },
    },
    links: { self: { href: self } },
  });
}

const change = z.object({
  data: z.object({ type: z.literal(RESOURCE_TYPE), id: z.string(), attributes: z.unknown() }),
});

/** `PATCH`: stores the crop in a file beside the image. Null removes a value, and the file goes with its last one. */
async function changeCrop(request: WriteRequest): Promise<WriteResponse> {
  const { services, access } = request;
  checkPlainChange(request);
  const key = await findImage(request);
  if (!allowsEverything(access, 'update', services.store)) {
    throw new ForbiddenError('Any content can use an image, so you need permission to change all content.');
  }
  const { data, error } = change.safeParse(readDocument(await request.body('bodyBytes')));
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw badBody(`${issue.message}.`.replace('..', '.'), `/${issue.path.join('/')}`);
  const { id, attributes } = data!.data;
  const changes = cropChanges.safeParse(attributes);
  const [first, ...others] = cropFaults(changes.error).map(({ steps, message }) => ({
    detail: message,
    source: { pointer: ['/data/attributes', ...steps].join('/') },
  }));
  if (first !== undefined) throw new InvalidEntityError([first, ...others]);
  if (id !== uriOf({ source: 'content', key })) {
    throw new ConflictError('The id must be the URI of the image in the address.', { pointer: '/data/id' });
  }
  return noContent(await request.writer.perform(writerOf(request), [changeFile(key, changes.data!)]));
}

function changeFile(image: string, attributes: z.infer<typeof cropChanges>): Operation {
  const key = cropKey(image);
  return {
    async run({ files }) {
      const bytes = await files.read(key);
      const edited = editCrop(bytes, attributes);
      if (edited !== undefined) await files.write(key, new TextEncoder().encode(edited));
      else if (bytes !== undefined) await files.remove(key);
      return changeOfFiles([key]);
    },
  };
}

/** The key of the image in the path. Throws the same NotFoundError for a hidden and for a missing image. */
async function findImage(request: ApiRequest): Promise<string> {
  const { services, access, actor, target } = request;
  if (actor.name === null) throw new UnauthorizedError('Sign in to crop images.');
  const [, source = '', ...path] = pathSegments(target.rest);
  const key = path.join('/');
  if (source !== 'content' || !canCrop(key) || isOutside(key)) {
    throw new NotFoundError('Images in the content folder can be cropped, but no SVG and no GIF.');
  }
  const encoded = path.map(encodeURIComponent).join('/');
  return (await findContentFile(services, access, encoded, (each) => mayUseUnusedFile(request, each))).key;
}
