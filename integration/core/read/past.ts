import { ANONYMOUS } from '../access/actor.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import type { PastContent, PastEntity } from '../content/past-content.ts';
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

/** A past version of an entity. */
export interface PastView {
  readonly entity: Entity;
  readonly commit: string;
  /** Renders MDX of this version as text, because its imports are those of today. */
  readonly services: Reader;
}

type PastContext = Pick<DocumentContext, 'services' | 'access' | 'actor'>;

/**
 * Finds a past version of a visible entity. Without the permission `view revisions`, throws UnauthorizedError or
 * ForbiddenError for any commit. Throws the same NotFoundError for a commit that does not exist, that does not have the file,
 * and whose version the actor may not see. Throws InvalidEntityError with the reasons if the version
 * does not match the present schema and the actor may see everything.
 */
export async function findPast(context: PastContext, present: Entity, commit: string): Promise<PastView> {
  const { services, access, actor = ANONYMOUS } = context;
  const { past, store } = services;
  if (!access.has('view revisions')) {
    throw actor.name === null
      ? new UnauthorizedError('Sign in to read past versions.', SOURCE)
      : new ForbiddenError("To read past versions, you need the permission 'view revisions'.", SOURCE);
  }
  if (past === null) {
    throw new NotFoundError(
      'Past versions are not available, because the content is not in a git repository.',
      SOURCE,
    );
  }
  const found = await past.read(present, commit);
  const type = store.types.get(present.type);
  if (found?.entity === null && type !== undefined && seesAll(context, type)) throw invalidVersion(found);
  if (!found?.entity || !access.allows('view', found.entity)) {
    throw new NotFoundError(
      `This resource has no version 'id:${commit}', or you may not see it. A version is the hash of an earlier commit that has its file, or at least 7 unambiguous digits of the hash.`,
      SOURCE,
    );
  }
  return {
    entity: found.entity,
    commit: found.version.commit,
    services: { ...services, renderBody: (entity) => renderPast(services, past, entity) },
  };
}

/**
 * The newest versions of an entity. Undefined unless the actor may see all of them, and if git fails: the rest of the
 * response does not depend on it.
 */
export async function offeredVersions(
  context: PastContext,
  type: ResourceType,
  entity: Entity,
): Promise<readonly OfferedVersion[] | undefined> {
  const { services, access } = context;
  if (services.past === null || !access.has('view revisions') || !seesAll(context, type)) return undefined;
  try {
    const versions = await services.past.list(entity, MAX_OFFERED);
    return versions.map(({ commit, at, author, message }) => ({
      version: `id:${commit}`,
      changed: dateTimeOfSeconds(at) ?? '',
      author,
      message,
    }));
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** True if the actor sees all entities of the type, past and present, with all fields. */
function seesAll({ access }: Pick<PastContext, 'access'>, type: ResourceType): boolean {
  return access.filterFor('view', type) === null && visibleFields(type, access).length === type.fields.size;
}

async function renderPast(services: Reader, past: PastContent, entity: Entity): Promise<string> {
  const { body, revision } = entity;
  const text =
    body?.format === 'mdx'
      ? { ...entity, revision: `${revision} as text`, body: past.asMarkdown(body) }
      : entity;
  try {
    return await services.renderBody(text);
  } catch {
    const detail =
      "The body of this version cannot be rendered with the site's present Markdown settings. Leave it out with `fields`.";
    throw new InvalidEntityError([{ detail, source: SOURCE }]);
  }
}

function invalidVersion({ problems, version }: PastEntity): InvalidEntityError {
  const violations = problems
    .filter(({ severity }) => severity === 'error')
    .slice(0, MAX_REPORTED)
    .map(({ line, column, message }): Violation => {
      const place = `line ${line}, column ${column}`;
      const detail = `The version of commit ${version.commit} does not match the present content: ${place}: ${message}`;
      return { detail, source: SOURCE };
    });
  const [first = { detail: 'Its bundle does not exist any more.', source: SOURCE }, ...others] = violations;
  return new InvalidEntityError([first, ...others]);
}

const SOURCE = { parameter: VERSION_PARAMETER };
const MAX_REPORTED = 20;
const MAX_OFFERED = 20;
