import { z } from 'zod';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import {
  type ApiRequest,
  addressOf,
  checkPlainChange,
  noContent,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import type { ResourceType } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { ConflictError, ForbiddenError, NotFoundError, UnauthorizedError } from '../../core/util/errors.ts';
import { changeOfFiles } from '../../core/write/change-of-files.ts';
import { badBody } from '../../core/write/request-json.ts';
import type { Operation } from '../../core/write/writer.ts';
import { TEMPLATES_SEGMENT } from './routes.ts';
import {
  fileOf,
  idOf,
  mayKeepTemplates,
  readTemplates,
  type Template,
  templateName,
  typesWithTemplates,
  writeTemplates,
} from './template-files.ts';

/** A form that offers more would not help. */
const MAX_TEMPLATES = 50;

interface Found {
  readonly type: ResourceType;
  readonly template: Template;
}

/** `GET /jsonapi/_templates`: the templates of all types of which the actor may create entities. */
export async function listTemplates(request: ApiRequest): Promise<SerializedBody> {
  const all = await visibleTemplates(request);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: all.map((each) => resourceOf(request, each)),
    meta: { count: all.length },
    links: { self: { href: addressOf(request, TEMPLATES_SEGMENT) } },
  });
}

/** `GET /jsonapi/_templates/{id}` */
export async function showTemplate(request: ApiRequest): Promise<SerializedBody> {
  const data = resourceOf(request, await findTemplate(request));
  return writeJson({ jsonapi: JSONAPI_MEMBER, data, links: data.links });
}

const addition = z.object({
  data: z.object({
    type: z.literal('template'),
    attributes: z.object({
      name: templateName,
      resource_type: z.string(),
      attributes: z.record(z.string(), z.json()).default({}),
      relationships: z.record(z.string(), z.json()).default({}),
    }),
  }),
});

/** `POST /jsonapi/_templates` adds a template. Names are unique in a type. */
export async function addTemplate(request: WriteRequest): Promise<WriteResponse> {
  const types = checkRequest(request);
  const { data, error } = addition.safeParse(readDocument(await request.body('bodyBytes')));
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw badBody(`${issue.message}.`, `/${issue.path.join('/')}`);
  const { name, resource_type: typeName, attributes, relationships } = data!.data.attributes;
  const type = types.find((each) => each.name === typeName);
  if (type === undefined) {
    const detail = `There is no type '${typeName}', or you may not create entities of it.`;
    throw new NotFoundError(detail, { pointer: '/data/attributes/resource_type' });
  }
  const added = { name, attributes, relationships };
  const operation = change(type, request, (present) => {
    if (present.some((each) => each.name === name)) {
      const source = { pointer: '/data/attributes/name' };
      throw new ConflictError(`There is a template '${name}' already.`, source, { code: 'template-exists' });
    }
    if (present.length >= MAX_TEMPLATES) {
      throw new ConflictError(`A type can have ${MAX_TEMPLATES} templates at most.`);
    }
    return [...present, added];
  });
  return noContent(await request.writer.perform(writerOf(request), [operation]));
}

/** `DELETE /jsonapi/_templates/{id}` */
export async function removeTemplate(request: WriteRequest): Promise<WriteResponse> {
  checkRequest(request);
  const { type, template } = await findTemplate(request);
  const operation = change(type, request, (present) => present.filter(({ name }) => name !== template.name));
  return noContent(await request.writer.perform(writerOf(request), [operation]));
}

/** The operation that changes the templates of a type. */
function change(
  type: ResourceType,
  { access }: ApiRequest,
  changed: (present: readonly Template[]) => readonly Template[],
): Operation {
  if (!mayKeepTemplates(access, type)) {
    throw new ForbiddenError(`You may not change the templates of '${type.name}'.`);
  }
  const key = fileOf(type);
  return {
    async run({ files }) {
      const present = await readTemplates(files, type);
      if (present === undefined) {
        throw new ConflictError(`The file ${key} is not a list of templates. Correct it by hand first.`);
      }
      const next = changed(present);
      if (next.length > 0) await files.write(key, writeTemplates(next));
      else if ((await files.read(key)) !== undefined) await files.remove(key);
      return changeOfFiles([key]);
    },
  };
}

function checkRequest(request: WriteRequest): readonly ResourceType[] {
  checkPlainChange(request);
  return visibleTypes(request);
}

function visibleTypes({ headers, actor, access, services }: ApiRequest): readonly ResourceType[] {
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to see templates.');
  return typesWithTemplates(access, services.store);
}

async function visibleTemplates(request: ApiRequest): Promise<readonly Found[]> {
  const types = visibleTypes(request);
  const { fileSources, settings } = request.services;
  parseQuery(request.target.query, 'individual', settings);
  const all = await Promise.all(
    types.map(async (type) =>
      ((await readTemplates(fileSources.content, type)) ?? []).map((template) => ({ type, template })),
    ),
  );
  return all.flat();
}

async function findTemplate(request: ApiRequest): Promise<Found> {
  const [, id = ''] = pathSegments(request.target.rest);
  const found = (await visibleTemplates(request)).find(({ type, template }) => idOf(type, template) === id);
  if (found === undefined) throw new NotFoundError(`There is no template '${id}', or you may not see it.`);
  return found;
}

/** Without the values of fields that the actor may not see. */
function resourceOf(request: ApiRequest, { type, template }: Found) {
  const { access } = request;
  const visible = (values: Template['attributes']) =>
    Object.fromEntries(
      Object.entries(values).filter(([name]) => type.fields.has(name) && access.fieldVisible(type, name)),
    );
  const { name, attributes, relationships } = template;
  return {
    type: 'template',
    id: idOf(type, template),
    attributes: {
      name,
      resource_type: type.name,
      attributes: visible(attributes),
      relationships: visible(relationships),
    },
    meta: { removable: mayKeepTemplates(access, type) },
    links: { self: { href: addressOf(request, TEMPLATES_SEGMENT, idOf(type, template)) } },
  };
}
