import type { Entity, ResourceType } from '../content/model.ts';
import type { PastEntity } from '../content/past-content.ts';
import { VERSION_PARAMETER } from '../engine/parse/parse-query.ts';
import { dateTimeOfSeconds } from '../source/date-time.ts';
import {
  DomainError,
  ForbiddenError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
  type Violation,
} from '../util/errors.ts';
import type { OfferedVersion } from './document-types.ts';
import type { DocumentContext, Reader } from './reader.ts';
import { visibleFields } from './sparse-fields.ts';

/** What an entity was, for an answer. */
export interface PastView {
  readonly entity: Entity;
  /** Whole hash of the commit that made it so. */
  readonly commit: string;
  /** Those that answer for this entity: its body is rendered as text, whatever its file imports now. */
  readonly services: Reader;
}

type Asker = Pick<DocumentContext, 'services' | 'access' | 'actor'>;

/**
 * What an entity that the actor sees was at a commit. Without the permission `view revisions` nothing is said about any
 * commit: a 401 or a 403. One and the same 404 is for what is no version, was no file then, and may not be seen as it
 * was then. A 422 tells whoever may see everything why the version does not fit the schema any more.
 */
export async function findPast(asker: Asker, present: Entity, commit: string): Promise<PastView> {
  const { services, access, actor } = asker;
  const { past, store } = services;
  if (past === null)
    throw new NotFoundError('There are no past versions here: the content is in no git repository.', SOURCE);
  if (!access.has('view revisions')) {
    throw actor === undefined || actor.name === null
      ? new UnauthorizedError('Sign in to read past versions.', SOURCE)
      : new ForbiddenError(
          "You may not read past versions: that needs the permission 'view revisions'.",
          SOURCE,
        );
  }
  const found = await past.read(present, commit);
  const type = store.types.get(present.type);
  if (found?.entity === null && type !== undefined && seesAll(asker, type)) throw unfit(found);
  if (!found?.entity || !access.allows('view', found.entity)) throw noVersion(commit);
  return {
    entity: found.entity,
    commit: found.version.commit,
    services: { ...services, renderBody: (entity) => renderPast(services, entity) },
  };
}

/**
 * The newest versions of an entity, for whoever may see them whatever they say; undefined for others. Nobody has to do
 * without the rest of an answer because of them: none where git cannot be asked.
 */
export async function offeredVersions(
  asker: Asker,
  type: ResourceType,
  entity: Entity,
): Promise<readonly OfferedVersion[] | undefined> {
  const { services, access } = asker;
  if (services.past === null || !access.has('view revisions') || !seesAll(asker, type)) return undefined;
  try {
    const versions = await services.past.list(entity, MOST_OFFERED);
    return versions.map(({ commit, at }) => ({
      version: `id:${commit}`,
      changed: dateTimeOfSeconds(at) ?? '',
    }));
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** Whether there is nothing of the type, as it is now or was, that the actor would not see. */
function seesAll({ access }: Pick<Asker, 'access'>, type: ResourceType): boolean {
  return access.filterFor('view', type) === null && visibleFields(type, access).length === type.fields.size;
}

/** The components that an MDX file had then are not there to run: what it is now must not run in their place. */
async function renderPast(services: Reader, entity: Entity): Promise<string> {
  const { body, revision } = entity;
  const text =
    body?.format === 'mdx'
      ? { ...entity, revision: `${revision} as text`, body: { ...body, format: 'markdown' as const } }
      : entity;
  try {
    return await services.renderBody(text);
  } catch {
    const detail =
      "The body of this version cannot be rendered by the site's markdown settings any more. Leave it out with `fields`.";
    throw new InvalidEntityError([{ detail, source: SOURCE }]);
  }
}

function noVersion(commit: string): NotFoundError {
  return new NotFoundError(
    `There is no version 'id:${commit}' of this resource, or you may not see it. A version is named by the hash of a commit on the way to the present one that has its file, or by at least 7 digits of it that fit no other.`,
    SOURCE,
  );
}

function unfit({ problems, version }: PastEntity): InvalidEntityError {
  const details = problems
    .filter(({ severity }) => severity === 'error')
    .slice(0, MOST_TOLD)
    .map(
      ({ line, column, message }) =>
        `The version of commit ${version.commit} does not fit the content as it is now: line ${line}, column ${column}: ${message}`,
    );
  const [first = 'It is of no bundle that there is now.', ...others] = details;
  const told = (detail: string): Violation => ({ detail, source: SOURCE });
  return new InvalidEntityError([told(first), ...others.map(told)]);
}

const SOURCE = { parameter: VERSION_PARAMETER };
const MOST_TOLD = 20;
const MOST_OFFERED = 20;
