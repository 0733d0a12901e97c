import type { ResourceType } from '../entities/model.ts';
import type { ApiError } from '../errors.ts';
import type { FilterNode } from '../query/ast.ts';
import { correctPath } from './correct-path.ts';
import type { QuerySpec } from './query-spec.ts';

/** Where a call of the builder went wrong: on which bundle, and what is known there. */
export interface CallSite {
  readonly spec: QuerySpec;
  readonly type: ResourceType;
  readonly types: ReadonlyMap<string, ResourceType>;
}

/**
 * An error of the engine, told as one of the call that was written:
 * `entities('article').where('field_autor.title', '=', 'Ada'): … Did you mean 'field_author.title'?`
 * Any other error is handed back as it is.
 */
export function explainFailure(error: unknown, site: CallSite): unknown {
  if (!isRequestError(error)) return error;
  const call = error.source?.parameter ?? '';
  return callError(error, call, pathsByCall(site.spec).get(call), site);
}

/** The same for one path of `include`. */
export function explainInclude(error: unknown, path: string, site: CallSite): unknown {
  return isRequestError(error) ? callError(error, `include('${path}')`, path, site) : error;
}

/** The same for `jsonapi(url)`, where the parameter at fault has a name of its own. */
export function explainRequest(error: unknown, url: string): unknown {
  if (!isRequestError(error)) return error;
  const parameter = error.source?.parameter;
  const where = parameter === undefined ? '' : ` (at ${parameter})`;
  return new Error(`jsonapi('${url}')${where}: ${error.detail}`, { cause: error });
}

export function entitiesCall({ bundle, access }: QuerySpec): string {
  return access === 'all' ? `entities('${bundle}', { access: 'all' })` : `entities('${bundle}')`;
}

function callError(error: ApiError, call: string, path: string | undefined, site: CallSite): Error {
  const meant = path === undefined ? undefined : correctPath(site.types, site.type, path);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  return new Error(`${entitiesCall(site.spec)}.${call}: ${error.detail}${hint}`, { cause: error });
}

// By its shape: the engine may come from another module instance, whose classes are others.
function isRequestError(error: unknown): error is ApiError {
  return error instanceof Error && 'status' in error && 'detail' in error && 'source' in error;
}

function pathsByCall(spec: QuerySpec): ReadonlyMap<string, string> {
  const conditions = spec.filter.flatMap(conditionsOf);
  return new Map([...conditions, ...spec.sort].map(({ parameter = '', path }) => [parameter, path]));
}

function conditionsOf(node: FilterNode): readonly Extract<FilterNode, { kind: 'condition' }>[] {
  return node.kind === 'condition' ? [node] : node.members.flatMap(conditionsOf);
}
