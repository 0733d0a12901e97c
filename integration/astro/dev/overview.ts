import { type Actor, ANONYMOUS } from '../../access/actor.ts';
import { explain } from '../../api/explorer.ts';

import { EXPLORER_PATH } from '../../api/routes.ts';
import type { Services } from '../../api/services.ts';
import { CONTENT_FILES_PREFIX } from '../../content/file-place.ts';
import { EMPTY_FILTER } from '../../engine/ast.ts';
import { belowPrefix } from '../../read/url-path.ts';
import type { Diagnostic } from '../../source/diagnostic.ts';
import type { PageQuery } from './page-queries.ts';

/** What the toolbar shows: plain data. */
export interface Overview {
  /** By resource type name. */
  readonly types: readonly TypeOverview[];
  readonly problems: readonly ProblemOverview[];
  /** Undefined where it is not known what the page asked. */
  readonly queries: readonly QueryOverview[] | undefined;
  /** Why there is no content; undefined where there is. */
  readonly fault?: string;
}

export interface TypeOverview {
  readonly name: string;
  readonly count: number;
  /** Of these, what anonymous visitors do not see. */
  readonly unseen: number;
  /** Of its collection, in the explorer. */
  readonly explorer?: string;
}

export interface ProblemOverview {
  readonly severity: Diagnostic['severity'];
  /** `content/article/a.md:4:13` */
  readonly place: string;
  readonly message: string;
  readonly hint?: string;
  /** For the editor: `/site/content/article/a.md:4:13`; undefined for a folder. */
  readonly file?: string;
}

export interface QueryOverview {
  readonly code: string;
  /** Whom it saw for, unless anonymous. */
  readonly actor?: string;
  readonly ms: number;
  readonly count: number;
  readonly failed: boolean;
  /** Undefined for what is no collection. */
  readonly plan?: string;
  readonly explorer?: string;
  /** Files of the first entities that it answers. */
  readonly files: readonly FileOverview[];
}

export interface FileOverview {
  /** `content/article/a.md` */
  readonly place: string;
  /** The same for the editor. */
  readonly file: string;
}

export interface OverviewPlaces {
  /** Absolute paths. */
  readonly root: string;
  readonly contentDir: string;
  /** How messages call the content folder. */
  readonly folder: string;
}

export async function overview(
  services: Services,
  queries: readonly PageQuery[] | undefined,
  places: OverviewPlaces,
): Promise<Overview> {
  return {
    types: await describeTypes(services),
    problems: services.diagnostics().map((diagnostic) => describeProblem(diagnostic, places)),
    queries:
      queries &&
      (await Promise.all(
        queries.filter(isNoFile(services)).map((query) => describeQuery(services, query, places)),
      )),
  };
}

// A page that shows an image of the content has asked for its file, which is no query.
function isNoFile({ settings }: Services): (query: PageQuery) => boolean {
  return ({ path }) => !path.startsWith(`${settings.base}${CONTENT_FILES_PREFIX}/`);
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
  { contentDir, folder }: OverviewPlaces,
): ProblemOverview {
  const inFile = key !== '' && !key.endsWith('/');
  const at = inFile ? `:${line}:${column}` : '';
  return {
    severity,
    place: `${folder}/${key}${at}`,
    message,
    ...(hint !== undefined && { hint }),
    ...(inFile && { file: `${contentDir}/${key}${at}` }),
  };
}

async function describeQuery(
  services: Services,
  { code, path, actor, ms, count, failed, entities }: PageQuery,
  { contentDir, folder }: OverviewPlaces,
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
      const key = (store.get(type, id) ?? store.get(typeOfPath(path), id))?.key;
      return key === undefined ? [] : [{ place: `${folder}/${key}`, file: `${contentDir}/${key}` }];
    }),
    ...(plan !== undefined && { plan }),
    ...queryLink(services, belowPrefix(path, services.settings.base)),
  };
}

// Flat entities are of their bundle, which is short for the type that was asked for.
function typeOfPath(path: string): string {
  const [entityType = '', bundle = ''] = path.split(/[/?]/).slice(1).map(decodeURIComponent);
  return `${entityType}--${bundle}`;
}

/** Undefined for one resource, which has no plan. */
async function planOf(services: Services, path: string, actor: Actor): Promise<string | undefined> {
  try {
    const asked = path.startsWith('/') ? path : `/${path}`;
    return (await explain(services, services.access(actor), `url=${encodeURIComponent(asked)}`)).plan;
  } catch {
    return undefined;
  }
}

/** None for an address that the explorer does not ask, such as one below `/api/content`. */
function queryLink(services: Services, path: string): { readonly explorer?: string } {
  return services.store.types.has(typeOfPath(path)) ? explorerLink(services, path) : {};
}

function explorerLink({ settings }: Services, path: string): { readonly explorer?: string } {
  return settings.explorer ? { explorer: `${settings.base + EXPLORER_PATH}#${path}` } : {};
}
