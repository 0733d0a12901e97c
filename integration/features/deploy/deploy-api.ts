import { allowsEverything } from '../../core/access/access.ts';
import { isPublishedAt } from '../../core/access/schedule.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { type ApiRequest, addressOf, checkPlainChange, type RouteHandlers } from '../../core/api/request.ts';
import { aliasOf } from '../../core/content/decode/alias.ts';
import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { findEntity, findType } from '../../core/read/find.ts';
import { translatedBase } from '../../core/read/language-paths.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { ConflictError, ForbiddenError, UnauthorizedError } from '../../core/util/errors.ts';
import type { Build, Builds } from './builds.ts';
import type { LiveBuild, LiveSite } from './live-site.ts';
import { DEPLOY_SEGMENT } from './routes.ts';
import type { SavedContent } from './saved-content.ts';

export interface DeployDeps {
  /** Undefined if the address of the published site is not known. */
  readonly live: LiveSite | undefined;
  readonly saved: SavedContent;
  /** Undefined if builds cannot be started. */
  readonly builds: Builds | undefined;
  /** A sentence about the option, if it should start builds and cannot. */
  readonly problem?: string | undefined;
  readonly now: () => number;
}

/** The state of the published site, for accounts that change content. */
export function createDeployApi(deps: DeployDeps): RouteHandlers {
  const noStore = { 'cache-control': 'private, no-store' };
  return {
    deploy: {
      answer: async (request) => {
        checkSender(request);
        return { ...(await describeSite(request, deps)), headers: noStore };
      },
      async write(request) {
        checkSender(request);
        checkPlainChange(request);
        if (!mayBuild(request))
          throw new ForbiddenError('To publish the site, you need the permission to publish entries.');
        if (deps.builds === undefined) {
          const reason = deps.problem ?? 'It has neither deploy.hook nor deploy.command.';
          const detail = `This server cannot start builds. ${reason}`;
          throw new ConflictError(detail, undefined, { code: 'no-builds' });
        }
        deps.builds.start();
        return { outcome: 'changed', written: await describeSite(request, deps), headers: noStore };
      },
    },
    'deployed-entry': {
      async answer(request) {
        checkSender(request);
        const { services, access, target } = request;
        const [, entityType = '', bundle = '', ...id] = pathSegments(target.rest);
        const type = findType(services.store, entityType, bundle);
        const entity = await findEntity(services, access, type, id);
        if (!access.allows('update', entity)) throw new ForbiddenError('You may not change this entry.');
        return { ...(await describeEntry(request, deps, type, entity)), headers: noStore };
      },
    },
  };
}

function checkSender({ actor, access, headers, target, services }: ApiRequest): void {
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to see the state of the published site.');
  parseQuery(target.query, 'individual', services.settings);
  const changes = [...services.store.types.values()].some((type) =>
    (['create', 'update'] as const).some((action) => access.filterFor(action, type) !== false),
  );
  if (!changes)
    throw new ForbiddenError(
      'To see the state of the published site, you need the permission to change entries.',
    );
}

/** True if the actor may publish an entry. */
function mayBuild({ access, services }: ApiRequest): boolean {
  return [...services.store.types.values()].some((type) => access.filterForField(type, 'status') !== false);
}

async function describeSite(
  request: ApiRequest,
  { live, saved, builds, now }: DeployDeps,
): Promise<SerializedBody> {
  const { services, access } = request;
  // Commits and counts would reveal changes of hidden entries.
  const seesAll = allowsEverything(access, 'view', services.store);
  const answer = live && (await live.build());
  const built = typeof answer === 'object' ? answer : undefined;
  const [newest, changes] = seesAll
    ? await Promise.all([saved.newest(services), built && saved.changesSince(services, built, now())])
    : [];
  const self = { href: addressOf(request, DEPLOY_SEGMENT) };
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: {
      type: 'deploy',
      id: 'deploy',
      attributes: {
        url:
          live === undefined
            ? null
            : `${live.origin}${services.settings.siteBase ?? services.settings.base}/`,
        live: built ?? null,
        problem: typeof answer === 'string' ? answer : null,
        committed: newest ? { commit: newest.commit, time: timeOf(newest.at) } : null,
        waiting: seesAll ? ((await services.uncommitted())?.length ?? null) : null,
        changes: changes ?? null,
        build: describeBuild(builds?.last(), seesAll),
      },
      meta: { mayBuild: builds !== undefined && mayBuild(request) },
      links: { self },
    },
    links: { self },
  });
}

function describeBuild(build: Build | undefined, seesAll: boolean) {
  if (build === undefined) return null;
  const { state, by, started, ended, commit, problem, lines, isAskedAgain } = build;
  return {
    ...{ state, by, started: timeOf(started), ended: timeOf(ended), again: isAskedAgain },
    commit: seesAll ? commit : null,
    problem: seesAll ? problem : null,
    // Outputs can name hidden entries.
    lines: seesAll ? lines : [],
  };
}

async function describeEntry(
  request: ApiRequest,
  { live, saved, now }: DeployDeps,
  type: ResourceType,
  entity: Entity,
): Promise<SerializedBody> {
  const { services } = request;
  const [changed, [newest] = [], answer] = await Promise.all([
    services.uncommitted(),
    services.past?.list(entity, 1),
    live?.build(),
  ]);
  const isCommitted = newest !== undefined && !changed?.some(({ key }) => key === entity.key);
  const built = typeof answer === 'object' ? answer : undefined;
  const past = built && (await services.past?.read(entity, built.commit));
  const wasPublished =
    built !== undefined && past?.entity != null && isPublishedAt(past.entity, Date.parse(built.time));
  const isPublished = isPublishedAt(entity, now());
  const isSame =
    past?.entity?.revision === entity.revision || (isCommitted && past?.version.commit === newest.commit);
  const isKnown = past !== undefined || (built && (await hasCommit(saved, built, newest?.commit)));
  const shown = wasPublished && past?.entity ? past.entity : isPublished && !isKnown ? entity : undefined;
  const path = shown && pageOf(request, type, shown);
  const exists = live && path !== undefined ? await live.hasPage(path) : path && undefined;
  const self = {
    href: addressOf(request, DEPLOY_SEGMENT, type.entityType, type.bundle, ...entity.id.split('/')),
  };
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: {
      type: 'deployed-entry',
      id: entity.id,
      attributes: {
        committed: newest ? { commit: newest.commit, time: timeOf(newest.at * 1000) } : null,
        isCommitted: services.past === null ? null : isCommitted,
        live: built ?? null,
        problem: typeof answer === 'string' ? answer : null,
        isPublished,
        isLive: isKnown ? isSame && wasPublished && isPublished : null,
        isVisible: isKnown ? wasPublished : null,
        page: live && path !== undefined ? { url: live.origin + path, exists: exists ?? null } : null,
      },
      links: { self },
    },
    links: { self },
  });
}

/** If the server has the commit of a build, and so can say that a file is not in it. `newest` is the commit of the file. */
async function hasCommit(saved: SavedContent, { commit }: LiveBuild, newest = commit): Promise<boolean> {
  return (await saved.contains(commit, newest)) !== undefined;
}

/** The address of the entry's page; undefined without one. */
function pageOf(
  { services: { settings } }: ApiRequest,
  type: ResourceType,
  entity: Entity,
): string | undefined {
  if (aliasOf(entity) === null) return undefined;
  const path = translatedBase(settings, languageOf(entity)) + sitePath(type, entity);
  return settings.trailingSlash === 'always' && !/(?:\/|\.\w+)$/.test(path) ? `${path}/` : path;
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
