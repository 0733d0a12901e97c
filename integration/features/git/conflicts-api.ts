import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import { checkJsonApiBody } from '../../core/api/media-type.ts';
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
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { createServerLinks } from '../../core/read/links.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { dateTimeOfSeconds } from '../../core/source/date-time.ts';
import {
  ConflictError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
} from '../../core/util/errors.ts';
import { isRecord, type JsonValue } from '../../core/util/json.ts';
import { badBody, escaped } from '../../core/write/request-json.ts';
import {
  conflictValue,
  type DecodedConflicts,
  storedFields,
  type VisibleConflict,
  visibleConflicts,
} from './content-conflicts.ts';
import { CONFLICTS_SEGMENT } from './routes.ts';

/** `GET /jsonapi/_conflicts`: the conflicts that the actor may decide, the newest first. */
export async function listConflicts(
  request: ApiRequest,
  conflicts: DecodedConflicts | undefined,
): Promise<SerializedBody> {
  checkReading(request);
  const data: unknown[] = [];
  for (const conflict of await visibleConflicts(conflicts, request))
    data.push(await resource(request, conflict));
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data,
    meta: { count: data.length },
    links: { self: { href: addressOf(request, CONFLICTS_SEGMENT) } },
  });
}

/** `GET /jsonapi/_conflicts/{id}`. */
export async function showConflict(
  request: ApiRequest,
  conflicts: DecodedConflicts | undefined,
): Promise<SerializedBody> {
  checkReading(request);
  const data = await resource(request, await findConflict(request, conflicts));
  return writeJson({ jsonapi: JSONAPI_MEMBER, data, links: { self: data.links.self } });
}

/**
 * `PATCH /jsonapi/_conflicts/{id}`: `resolution` is `mine`, `theirs`, or one of both for each field. With `mine`, the lost change
 * is made again as a usual change of the actor. A conflict whose fields are all decided is removed on all servers.
 */
export async function resolveConflict(
  request: WriteRequest,
  conflicts: DecodedConflicts | undefined,
): Promise<WriteResponse> {
  const { services, method, target, writer } = request;
  checkMethod(method, methodsOf(target.route));
  checkReading(request);
  checkWithoutLanguage(request);
  checkJsonApiBody(request);
  const found = await findConflict(request, conflicts);
  const { conflict, fields, isWhole, entity, type, present } = found;
  const chosen = readResolution(await request.body('bodyBytes'), found);
  const by = writerOf(request);
  const mine = fields.filter(({ name }) => chosen.get(name) === 'mine');
  const pointer = (path: readonly (string | number)[]) =>
    `/data/attributes/resolution${path
      .slice(0, 1)
      .map((name) => `/${escaped(String(name))}`)
      .join('')}`;
  let job: string | undefined;
  if (type !== undefined && entity !== undefined && chosen.get(WHOLE) !== 'theirs') {
    const when = preconditionsOf(request);
    const write = { id: entity.id, violations: [], pointer };
    const lost = conflict.sides?.mine;
    const valuesOf = async (of: typeof fields) => {
      const values = new Map<string, JsonValue>();
      for (const field of of) values.set(field.name, await conflictValue(services, lost, field));
      return values;
    };
    if (found.kind === 'removed-here' && present !== undefined) {
      ({ job } = await writer.remove(by, present, when));
    } else if (found.kind === 'removed-by-others' && lost !== undefined) {
      checkRestorable(found);
      const all = storedFields(services, conflict, type).filter(
        ({ name }) => lost.values[name] !== null && request.access.fieldWritable(type, name, 'create', lost),
      );
      const input = { ...write, values: await valuesOf(all) };
      ({ job } =
        lost.translation === undefined
          ? await writer.create(by, type, input, when)
          : await writer.translate(by, sourceOf(request, found), lost.translation, input));
    } else if (mine.length > 0 && present !== undefined) {
      ({ job } = await writer.update(by, present, { ...write, values: await valuesOf(mine) }, when));
    }
  }
  const isDone = isWhole && fields.every(({ name }) => chosen.has(name));
  const resolved = [
    ...conflict.resolved,
    ...fields.map(({ name }) => name).filter((name) => chosen.has(name)),
  ];
  await conflicts?.resolve(conflict, isDone ? undefined : resolved);
  return noContent({ job });
}

/** The decision about a conflict that has no fields. */
const WHOLE = '';
const SIDES: readonly JsonValue[] = ['mine', 'theirs'];

type Side = 'mine' | 'theirs';

/** The decisions by field; by WHOLE for a conflict without fields. */
function readResolution(text: string, found: VisibleConflict): ReadonlyMap<string, Side> {
  const { data } = readDocument(text);
  if (!isRecord(data)) throw badBody('`data` must be a resource object.', '/data');
  const { id } = found.conflict;
  if (data.type !== 'conflict') {
    throw new ConflictError("`data.type` must be 'conflict' here.", { pointer: '/data/type' });
  }
  if (data.id !== id) {
    throw new ConflictError(`\`data.id\` must be '${id}', as in the URL.`, { pointer: '/data/id' });
  }
  const { attributes } = data;
  const resolution = isRecord(attributes) ? attributes.resolution : undefined;
  const names = found.fields.map(({ name }) => name);
  const at = '/data/attributes/resolution';
  if (isSide(resolution)) {
    if (found.kind === 'file' && resolution === 'mine') {
      const detail = `This file is not an entity, so only git can restore your version: \`git checkout ${found.conflict.commit} -- <file>\`. Send 'theirs' to remove the conflict.`;
      throw new InvalidEntityError([{ detail, source: { pointer: at } }]);
    }
    return new Map((names.length === 0 ? [WHOLE] : names).map((name) => [name, resolution]));
  }
  if (!isRecord(resolution) || names.length === 0) {
    const fields =
      names.length === 0 ? '' : `, or an object with one of them for some of: ${names.join(', ')}`;
    const detail = `\`resolution\` must be 'mine' or 'theirs'${fields}.`;
    throw new InvalidEntityError([{ detail, source: { pointer: at } }]);
  }
  const chosen = new Map<string, Side>();
  for (const [name, side] of Object.entries(resolution)) {
    const isKnown = names.includes(name);
    if (isKnown && isSide(side)) chosen.set(name, side);
    else {
      const detail = isKnown
        ? `\`${name}\` must be 'mine' or 'theirs'.`
        : `The conflict has no field '${name}'. Fields: ${names.join(', ')}.`;
      throw new InvalidEntityError([{ detail, source: { pointer: `${at}/${escaped(name)}` } }]);
    }
  }
  if (chosen.size > 0) return chosen;
  throw new InvalidEntityError([{ detail: 'Decide at least one field.', source: { pointer: at } }]);
}

function isSide(value: JsonValue | undefined): value is Side {
  return value !== undefined && SIDES.includes(value);
}

function checkReading({ headers, actor, target, services }: ApiRequest): void {
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to see conflicts.');
  parseQuery(target.query, 'individual', services.settings);
}

async function findConflict(
  request: ApiRequest,
  conflicts: DecodedConflicts | undefined,
): Promise<VisibleConflict> {
  const [, id = ''] = pathSegments(request.target.rest);
  const [found] = await visibleConflicts(conflicts, request, [id]);
  if (found !== undefined) return found;
  throw new NotFoundError(`The conflict '${id}' does not exist, or you may not see it.`);
}

/** Without a schema, fields are those of the files that are there. */
function checkRestorable({ conflict: { sides, commit } }: VisibleConflict): void {
  if (sides === undefined || sides.unknown.length === 0) return;
  const names = sides.unknown.map((name) => `\`${name}\``).join(', ');
  throw new ConflictError(
    `Only the removed file had ${names}, so it can only be restored with git: \`git checkout ${commit} -- <file>\`.`,
    { pointer: '/data/attributes/resolution' },
  );
}

function sourceOf({ services }: ApiRequest, { entity, type }: VisibleConflict) {
  const source = entity && type && services.store.get(type.name, entity.id);
  if (source !== undefined) return source;
  throw new ConflictError('The source of this translation was removed too: restore it first.');
}

async function resource(request: ApiRequest, found: VisibleConflict) {
  const { services, access, target } = request;
  const { conflict, kind, type, entity, present, theirs, fields } = found;
  const { id, at, author, commit, message, key, sides } = conflict;
  const links = createServerLinks(services.settings, target.origin, access);
  const { title } = (present ?? entity)?.values ?? {};
  const values: unknown[] = [];
  for (const field of fields) {
    values.push({
      name: field.name,
      mine: await conflictValue(services, sides?.mine, field),
      theirs: await conflictValue(services, theirs, field),
      present: await conflictValue(services, present, field),
    });
  }
  const isTitled = type !== undefined && access.fieldVisible(type, 'title');
  return {
    type: 'conflict',
    id,
    attributes: {
      kind,
      title: isTitled && typeof title === 'string' ? title : null,
      entity: entity ? { type: entity.type, id: entity.id, translation: entity.translation ?? null } : null,
      file: entity === undefined ? key : null,
      author,
      created: dateTimeOfSeconds(at) ?? null,
      message: isTitled || entity === undefined ? message : null,
      commit,
      fields: values,
    },
    links: {
      self: { href: addressOf(request, CONFLICTS_SEGMENT, id) },
      ...(present && type && { entity: { href: links.individual(type, present.id, present.translation) } }),
    },
  };
}
