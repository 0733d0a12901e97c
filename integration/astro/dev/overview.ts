import { type Actor, ANONYMOUS } from '../../core/access/actor.ts';
import { explain } from '../../core/api/explain.ts';
import { EXPLORER_PATH } from '../../core/api/paths.ts';
import type { Services } from '../../core/api/request.ts';
import { CONTENT_FILES_PREFIX } from '../../core/content/model.ts';
import { EMPTY_FILTER } from '../../core/engine/ast.ts';
import { belowPrefix, pathSegments } from '../../core/read/url-path.ts';
import type { Diagnostic } from '../../core/source/diagnostic.ts';
import { fileOfKey } from '../../core/storage/key.ts';
import type { PageQuery } from '../page-queries.ts';

/** The data of the toolbar. */
export interface Overview {
  /** By resource type name. */
  readonly types: readonly TypeOverview[];
  readonly problems: readonly ProblemOverview[];
  /** Undefined if the page was not rendered by this server. */
  readonly queries: readonly QueryOverview[] | undefined;
  /** Why the content could not be loaded. */
  readonly fault?: string;
}

export interface TypeOverview {
  readonly name: string;
  readonly count: number;
  /** The number of them that anonymous visitors do not see. */
  readonly unseen: number;
  /** Link to the collection in the explorer. */
  readonly explorer?: string;
}

export interface ProblemOverview {
  readonly severity: Diagnostic['severity'];
  /** `content/article/a.md:4:13` */
  readonly label: string;
  readonly message: string;
  readonly hint?: string;
  /** The absolute path, for the editor: `/site/content/article/a.md:4:13`. Undefined for a folder. */
  readonly file?: string;
}

export interface QueryOverview {
  readonly code: string;
  /** The name of the actor, unless anonymous. */
  readonly actor?: string;
  readonly ms: number;
  readonly count: number;
  readonly failed: boolean;
  /** Undefined if the query is not about a collection. */
  readonly plan?: string;
  readonly explorer?: string;
  /** Files of the first entities in the result. */
  readonly files: readonly FileOverview[];
}

export interface FileOverview {
  /** `content/article/a.md` */
  readonly label: string;
  /** The absolute path, for the editor. */
  readonly file: string;
}

export interface OverviewPaths {
  /** Absolute path of the content folder. */
  readonly contentDir: string;
  /** The content folder in messages. */
  readonly folder: string;
}

export async function overview(
  services: Services,
  queries: readonly PageQuery[] | undefined,
  paths: OverviewPaths,
): Promise<Overview> {
  return {
    types: await describeTypes(services),
    problems: services.diagnostics().map((diagnostic) => describeProblem(diagnostic, paths)),
    queries:
      queries &&
      (await Promise.all(
        queries.filter(isQuery(services)).map((query) => describeQuery(services, query, paths)),
      )),
  };
}

// Requests for images of the content are not queries. Reads of collections of Astro have no path.
function isQuery({ settings }: Services): (query: PageQuery) => boolean {
  return ({ path }) => path !== '' && !path.startsWith(`${settings.base}${CONTENT_FILES_PREFIX}/`);
}

async function describeTypes(services: Services): Promise<readonly TypeOverview[]> {
  const types: TypeOverview[] = [];
  const everything = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 0 } };
  for (const type of services.store.types.values()) {
    const { count: seen } = await services.engine.run(type, everything, services.access(ANONYMOUS));
    const count = services.store.entities(type.name).length;
    const path = `/${type.entityType}/${type.bundle}`;
    types.push({ name: type.name, count, unseen: count - seen, ...explorerLink(services, path) });
  }
  return types;
}

function describeProblem(
  { severity, key, line, column, message, hint }: Diagnostic,
  { contentDir, folder }: OverviewPaths,
): ProblemOverview {
  const inFile = key !== '' && !key.endsWith('/');
  const at = inFile ? `:${line}:${column}` : '';
  return {
    severity,
    label: `${folder}/${key}${at}`,
    message,
    ...(hint !== undefined && { hint }),
    ...(inFile && { file: `${contentDir}/${key}${at}` }),
  };
}

async function describeQuery(
  services: Services,
  { code, path, actor, ms, count, failed, entities }: PageQuery,
  { contentDir, folder }: OverviewPaths,
): Promise<QueryOverview> {
  const plan = failed ? undefined : await planOf(services, path, actor);
  return {
    code,
    ...(actor.name !== null && { actor: actor.name }),
    ms,
    count,
    failed,
    files: entities.flatMap(({ type, id }) => {
      const { store } = services;
      const entity = store.get(type, id) ?? store.get(typeOfPath(path), id);
      if (entity === undefined) return [];
      const key = fileOfKey(entity.key);
      return [{ label: `${folder}/${key}`, file: `${contentDir}/${key}` }];
    }),
    ...(plan !== undefined && { plan }),
    ...queryLink(services, belowPrefix(path, services.settings)),
  };
}

/**
 * The resource type of `/node/article…`. Results of the content API name the bundle only. An empty string for a path
 * that is malformed: pages can request any path.
 */
function typeOfPath(path: string): string {
  try {
    const [entityType = '', bundle = ''] = pathSegments(path.split('?', 1)[0] ?? '');
    return `${entityType}--${bundle}`;
  } catch {
    return '';
  }
}

/** Undefined for a single resource, which has no plan. */
async function planOf(services: Services, path: string, actor: Actor): Promise<string | undefined> {
  try {
    const url = encodeURIComponent(path.startsWith('/') ? path : `/${path}`);
    return (await explain(services, actor, `url=${url}`)).plan;
  } catch {
    return undefined;
  }
}

/** Without a link for URLs that the explorer does not support, such as those below `/api/content`. */
function queryLink(services: Services, path: string): { readonly explorer?: string } {
  return services.store.types.has(typeOfPath(path)) ? explorerLink(services, path) : {};
}

function explorerLink({ settings }: Services, path: string): { readonly explorer?: string } {
  return settings.explorer
    ? { explorer: `${settings.base}${settings.prefix ?? ''}${EXPLORER_PATH}#${path}` }
    : {};
}
