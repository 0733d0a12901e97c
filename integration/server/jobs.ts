import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { createBundleNames } from '../api/rest/names.ts';
import { createRestServerLinks } from '../api/rest/rest-links.ts';
import type { Services } from '../api/services.ts';
import type { WriteAnswer } from '../api/write-request.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import type { Written } from '../read/compose.ts';
import { writeJson } from '../read/compose.ts';
import { JSONAPI_MEMBER } from '../read/document-types.ts';
import { createServerLinks } from '../read/links.ts';
import { NotFoundError } from '../util/errors.ts';
import type { CommitState } from '../write/commits.ts';

/** Below the prefix of either API: no content has a name that starts so. */
export const JOBS_PLACE = '_jobs';

/** How an API writes what it says of jobs. */
export type JobForm = 'jsonapi' | 'rest';

export interface JobContext {
  readonly services: Services;
  readonly actor: Actor;
  readonly access: Access;
  readonly origin: string;
  /** Of the API, such as `/v1/api/content`. */
  readonly prefix: string;
}

/**
 * The answer to a change that is being committed: 202 with what it would have said without, and `meta.job`. Source:
 * JSON:API, "Asynchronous Processing". An answer without a job is as it was.
 */
export function acknowledged(answer: WriteAnswer, context: JobContext, form: JobForm): WriteAnswer {
  const { job: id, written } = answer;
  if (id === undefined) return answer;
  const href = jobAddress(context, id);
  const job = { id, status: 'pending', links: { self: form === 'jsonapi' ? { href } : href } };
  const document: unknown = written === null ? undefined : JSON.parse(decoder.decode(written.bytes));
  const said = (document ?? (form === 'jsonapi' ? { jsonapi: JSONAPI_MEMBER } : {})) as {
    readonly meta?: object;
  };
  return {
    status: 202,
    written: writeJson({ ...said, meta: { ...said.meta, job } }),
    headers: { ...answer.headers, 'content-location': href },
  };
}

/**
 * What has become of a change, at `_jobs/<id>`. Whoever made it is told, and who administers accounts; for everybody else
 * there is nothing: NotFoundError. Always a document, never a redirect to the entity, which would keep from most clients
 * what they have asked for.
 */
export async function jobDocument(
  context: JobContext,
  id: string,
  query: string,
  form: JobForm,
): Promise<Written> {
  const { services } = context;
  parseQuery(query, 'individual', services.settings);
  const state = findJob(context, id);
  const self = jobAddress(context, id);
  const attributes = {
    status: state.status,
    detail: state.detail,
    created: new Date(state.at).toISOString(),
    commit: state.commit,
    branch: state.branch,
    pushed: state.pushed,
  };
  const entity = await entityAddress(context, state, form);
  if (form === 'rest') {
    return writeJson({
      data: { id, type: 'job', ...attributes },
      links: { self, ...(entity && { entity }) },
    });
  }
  const links = { self: { href: self }, ...(entity && { related: { href: entity } }) };
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: { type: 'job', id, attributes, links },
    links: { self: { href: self } },
  });
}

/** Throws as `jobDocument` does. */
export function findJob(
  { services, actor, access }: Pick<JobContext, 'services' | 'actor' | 'access'>,
  id: string,
): CommitState {
  const { commits } = services;
  const state = commits?.acknowledge === 'commit' ? commits.find(id) : undefined;
  const isOwn = state !== undefined && state.account !== null && state.account === actor.name;
  if (state !== undefined && (isOwn || access.has('administer accounts'))) return state;
  throw new NotFoundError(`There is no job '${id}', or you may not see it.`);
}

function jobAddress({ services, origin, prefix }: JobContext, id: string): string {
  const { base, trailingSlash } = services.settings;
  return `${origin}${base}${prefix}/${JOBS_PLACE}/${id}${trailingSlash === 'always' ? '/' : ''}`;
}

/** Where what was changed is read; undefined where there is nothing for this actor. */
async function entityAddress(
  { services, access, origin, prefix }: JobContext,
  { entity }: CommitState,
  form: JobForm,
): Promise<string | undefined> {
  const { settings, store, engine } = services;
  const type = entity && store.types.get(entity.type);
  if (entity === undefined || type === undefined) return undefined;
  if (!(await engine.visible(entity.type, entity.id, access))) return undefined;
  if (form === 'jsonapi') return createServerLinks(settings, origin).individual(type, entity.id);
  const names = createBundleNames(store.types.values(), settings.plurals);
  return createRestServerLinks(settings, names, { origin, prefix, query: '' }).entity(type, entity.id);
}

const decoder = new TextDecoder();
