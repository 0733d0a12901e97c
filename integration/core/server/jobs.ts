import { checkJsonApiAccept } from '../api/accept.ts';
import {
  type ApiRequest,
  addressOf,
  type ContentHandler,
  type WriteRequest,
  type WriteResponse,
} from '../api/request.ts';
import { JOBS_SEGMENT } from '../api/routes.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../read/compose.ts';
import { JSONAPI_MEMBER } from '../read/document-types.ts';
import { createServerLinks } from '../read/links.ts';
import { isVisible } from '../read/translations.ts';
import { pathSegments } from '../read/url-path.ts';
import { DomainError, InvalidEntityError, NotFoundError, type Violation } from '../util/errors.ts';
import type { CommitState, VisibleConflict } from '../write/commits.ts';
import { COMMIT_HEADER } from './replica.ts';

/** How an API writes a job. */
export interface JobForm {
  /** The document of a change without one. */
  readonly empty: object;
  link(href: string): unknown;
  document(job: WrittenJob): object;
  /** The address of an entity or a translation. */
  entityAddress(request: ApiRequest, type: ResourceType, entity: Entity): string;
  checkAccept(accept: string | null): void;
}

interface WrittenJob {
  readonly id: string;
  readonly attributes: object;
  readonly self: string;
  /** The address of the changed entity, if the actor can see it. */
  readonly entity: string | undefined;
}

const JSONAPI_JOBS: JobForm = {
  empty: { jsonapi: JSONAPI_MEMBER },
  link: (href) => ({ href }),
  document({ id, attributes, self, entity }) {
    const links = { self: { href: self }, ...(entity && { related: { href: entity } }) };
    return {
      jsonapi: JSONAPI_MEMBER,
      data: { type: 'job', id, attributes, links },
      links: { self: { href: self } },
    };
  },
  entityAddress({ services, target, access }, type, { id, translation }) {
    const links = createServerLinks(services.settings, target.origin, access);
    return translation === undefined ? links.individual(type, id) : links.translation(type, id, translation);
  },
  checkAccept: checkJsonApiAccept,
};

/** Reports the jobs of changes that are not committed yet. */
export function withJobs(
  write: (request: WriteRequest) => Promise<WriteResponse>,
  form: JobForm = JSONAPI_JOBS,
): NonNullable<ContentHandler['write']> {
  return async (request) => withJob(await pushedAnswer(await write(request), request), request, form);
}

/** Serves the addresses of jobs. */
export function jobHandler(form: JobForm = JSONAPI_JOBS): ContentHandler {
  return {
    async answer(request) {
      form.checkAccept(request.headers.get('accept'));
      return jobDocument(request, form);
    },
    async options(request) {
      findJob(request);
      return undefined;
    },
  };
}

/**
 * The response to a change that is not committed yet: the usual document with `meta.job`. An answer without a job is
 * returned as it is. Source: JSON:API, "Asynchronous Processing".
 */
function withJob(answer: WriteResponse, request: ApiRequest, form: JobForm): WriteResponse {
  const { job: id, written } = answer;
  if (id === undefined) return answer;
  const href = jobAddress(request, id);
  const job = { id, status: 'pending', links: { self: form.link(href) } };
  const usual: unknown = written === null ? undefined : JSON.parse(decoder.decode(written.bytes));
  const document = (usual ?? form.empty) as { readonly meta?: object };
  return {
    outcome: 'pending',
    written: { ...writeJson({ ...document, meta: { ...document.meta, job } }), language: written?.language },
    headers: { ...answer.headers, 'content-location': href },
  };
}

/**
 * Waits until a change is pushed, if the server acknowledges changes then. After some seconds, the response reports the job.
 * Throws an InvalidEntityError with an error for each field that others have changed before.
 */
async function pushedAnswer(answer: WriteResponse, request: ApiRequest): Promise<WriteResponse> {
  const { job, ...others } = answer;
  const { commits } = request.services;
  if (job === undefined || commits?.acknowledge !== 'push') return answer;
  const state = await commits.pushed(job);
  if (state?.status === 'failed' || state?.conflicts.length) await request.services.replica?.settle();
  if (state !== undefined && state.conflicts.length > 0) throw await conflictError(answer, state, request);
  if (state?.status === 'failed') throw new DomainError('precondition-failed', state.detail ?? '');
  if (state?.pushed !== true || state.commit === null) return answer;
  return { ...others, headers: { ...others.headers, [COMMIT_HEADER]: state.commit } };
}

async function conflictError(
  { pointerOf }: WriteResponse,
  { conflicts, commit, detail }: CommitState,
  request: ApiRequest,
): Promise<InvalidEntityError> {
  const isRestSaved = commit !== null;
  const rest = isRestSaved ? 'Everything else of the request is saved.' : 'Nothing of the request is saved.';
  const source = (entity: Entity | undefined, field?: string) => ({
    pointer: (entity && pointerOf?.(entity, field)) ?? '',
  });
  const visible = (await request.services.conflicts?.visible(request, conflicts)) ?? [];
  const [first, ...others] = visible.flatMap(({ conflict: { id }, kind, entity, fields }): Violation[] => {
    const meta = { conflict: id, isRestSaved };
    if (kind !== 'fields' || fields.length === 0 || entity === undefined) {
      return [
        {
          detail: `${CONFLICT_TEXTS[kind]} Conflict ${id} has your change. ${rest}`,
          source: source(entity),
          meta,
        },
      ];
    }
    return fields.map(({ name }) => ({
      detail: `Someone else has changed \`${name}\` of ${entity.type} '${entity.id}' at the same time, and that value stays. Conflict ${id} has yours. ${rest}`,
      source: source(entity, name),
      meta: { ...meta, type: entity.type, id: entity.id, field: name },
    }));
  });
  const unseen = { detail: `${detail ?? CONFLICT_TEXTS.file} ${rest}`, source: source(undefined) };
  return new InvalidEntityError([first ?? unseen, ...others], 'precondition-failed');
}

const CONFLICT_TEXTS: Readonly<Record<VisibleConflict['kind'], string>> = {
  fields: 'Someone else has created or changed this at the same time, and their version stays.',
  'removed-here': 'Someone else has changed what you removed at the same time, so it stays.',
  'removed-by-others': 'Someone else has removed this at the same time, so your change has no place.',
  file: 'Someone else has stored the same file at the same time, and their version stays.',
};

/**
 * The state of a change, at `_jobs/<id>`. Throws NotFoundError unless the actor made the change or administers accounts.
 * The response is never a redirect to the entity, because most clients would follow it and lose the state.
 */
async function jobDocument(request: ApiRequest, form: JobForm): Promise<SerializedBody> {
  const { services, target } = request;
  parseQuery(target.query, 'individual', services.settings);
  const state = findJob(request);
  const { id } = state;
  const self = jobAddress(request, id);
  const attributes = {
    status: state.status,
    detail: state.detail,
    created: new Date(state.at).toISOString(),
    commit: state.commit,
    branch: state.branch,
    pushed: state.pushed,
    conflicts: state.conflicts,
  };
  return writeJson(
    form.document({ id, attributes, self, entity: await entityAddress(request, state, form) }),
  );
}

/** The job in the path of a request. Throws like `jobDocument`. */
function findJob({ services, actor, access, target }: ApiRequest): CommitState {
  const [, id = ''] = pathSegments(target.rest);
  const { commits } = services;
  const state = commits && commits.acknowledge !== 'file' ? commits.find(id) : undefined;
  const isOwn = state !== undefined && state.account !== null && state.account === actor.name;
  if (state !== undefined && (isOwn || access.has('administer accounts'))) return state;
  throw new NotFoundError(`Job '${id}' does not exist, or you may not see it.`);
}

function jobAddress(request: ApiRequest, id: string): string {
  return addressOf(request, JOBS_SEGMENT, id);
}

/** The address of the changed entity or translation; undefined if the actor cannot see it. */
async function entityAddress(
  request: ApiRequest,
  { entity: changed }: CommitState,
  form: JobForm,
): Promise<string | undefined> {
  const { services, access } = request;
  const { store } = services;
  const entity = changed && store.get(changed.type, changed.id, changed.translation);
  const type = entity && store.types.get(entity.type);
  if (entity === undefined || type === undefined) return undefined;
  if (!(await isVisible({ services, access }, entity))) return undefined;
  return form.entityAddress(request, type, entity);
}

const decoder = new TextDecoder();
