import { allowsEverything } from '../../core/access/access.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { STATUS_SEGMENT } from '../../core/api/paths.ts';
import { type ApiRequest, addressOf } from '../../core/api/request.ts';
import type { Entity } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { canSeeFile } from '../../core/read/content-files.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { type Diagnostic, isError } from '../../core/source/diagnostic.ts';
import type { UncommittedFile } from '../../core/storage/driver.ts';
import { UnauthorizedError } from '../../core/util/errors.ts';
import type { Commits } from '../../core/write/commits.ts';

/**
 * `GET /jsonapi/_status`: the problems of the content, the files that git has not committed, and the commits that wait.
 * Problems can name any file, so only accounts that may see everything get them. Others get null, and only those changed
 * files that they see completely.
 */
export async function readStatus(request: ApiRequest): Promise<SerializedBody> {
  const { services, access, actor, headers, target } = request;
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to see the status of the content.');
  parseQuery(target.query, 'individual', services.settings);
  const seesAll = allowsEverything(access, 'view', services.store);
  const { diagnostics, commits } = services;
  const problems = seesAll
    ? [...diagnostics().filter(({ severity }) => severity !== 'info'), ...(await services.features.notes())]
    : undefined;
  const changed = await services.uncommitted();
  const entities = entitiesByKey(services.store, [...(problems ?? []), ...(changed ?? [])]);
  const uncommitted = seesAll ? changed : changed && (await visibleFiles(request, changed, entities));
  const self = { href: addressOf(request, STATUS_SEGMENT) };
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: {
      type: 'status',
      id: 'status',
      attributes: {
        problems:
          problems?.slice(0, MAX_LISTED).map((problem) => describe(problem, entities.get(problem.key))) ??
          null,
        /** Null if the content is not in git. */
        uncommitted:
          uncommitted
            ?.slice(0, MAX_LISTED)
            .map(({ key, change }) => ({ file: key, change, entity: describeEntity(entities.get(key)) })) ??
          null,
        /** Null if the server does not commit changes. */
        commits: commits === undefined ? null : describeCommits(commits, seesAll),
      },
      meta: {
        counts: {
          ...(problems && {
            errors: problems.filter(isError).length,
            warnings: problems.filter((each) => !isError(each)).length,
          }),
          ...(uncommitted && { uncommitted: uncommitted.length }),
        },
      },
      links: { self },
    },
    links: { self },
  });
}

/** Problems and files in one document. */
const MAX_LISTED = 500;

function describe(
  { key, line, column, severity, code, message, hint }: Diagnostic,
  entity: Entity | undefined,
) {
  return {
    file: key,
    line,
    column,
    severity,
    code,
    message,
    hint: hint ?? null,
    entity: describeEntity(entity),
  };
}

/** Null for a file without an entity, and for a file that could not be read as one. */
function describeEntity(entity: Entity | undefined) {
  return entity === undefined
    ? null
    : { type: entity.type, id: entity.id, translation: entity.translation ?? null };
}

/** The entities of files, published or not. */
function entitiesByKey(
  store: EntityStore,
  files: readonly { readonly key: string }[],
): ReadonlyMap<string, Entity> {
  const keys = new Set(files.map(({ key }) => key));
  if (keys.size === 0) return new Map();
  const all = [...store.types.keys()].flatMap((type) =>
    store.entities(type).filter(({ key }) => keys.has(key)),
  );
  return new Map(all.map((entity) => [entity.key, entity]));
}

/** The number of changes that wait would reveal changes of hidden content. */
function describeCommits(commits: Commits, seesAll: boolean) {
  const { commits: state, pushes, ...details } = commits.health();
  return {
    commits: state,
    ...(pushes && { pushes }),
    ...(seesAll && { ...details, obstacles: commits.obstacles() }),
  };
}

/** The changed files of entities of which the actor may see every field, and the files that visible entities use. */
async function visibleFiles(
  { services, access }: ApiRequest,
  changed: readonly UncommittedFile[],
  entities: ReadonlyMap<string, Entity>,
): Promise<readonly UncommittedFile[]> {
  // A change of a hidden field must not be visible.
  const wholeTypes = new Set(
    [...services.store.types.values()]
      .filter((type) => [...type.fields.keys()].every((field) => access.fieldVisible(type, field)))
      .map(({ name }) => name),
  );
  const visible: UncommittedFile[] = [];
  for (const file of changed) {
    const entity = entities.get(file.key);
    const isVisible =
      entity === undefined
        ? file.change !== 'deleted' && (await canSeeFile(services, access, file.key))
        : wholeTypes.has(entity.type) && access.allows('view', entity);
    if (isVisible) visible.push(file);
  }
  return visible;
}
