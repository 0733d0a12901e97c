import type { ApiError } from '../errors.ts';
import type { QuerySpec } from './query-spec.ts';

/**
 * An error of the engine, told as one of the call that was written, which conditions and sort keys carry as their
 * parameter: `entities('article').where('field_autor.title', '=', 'Ada'): node--article has no field …`.
 * Any other error is handed back as it is.
 */
export function explainFailure(error: unknown, spec: QuerySpec): unknown {
  return isRequestError(error) ? callError(error, spec, error.source?.parameter ?? '') : error;
}

/** The same for one path of `include`. */
export function explainInclude(error: unknown, spec: QuerySpec, path: string): unknown {
  return isRequestError(error) ? callError(error, spec, `include('${path}')`) : error;
}

/** The same for `jsonapi(url)`, where the parameter at fault has a name of its own. */
export function explainRequest(error: unknown, url: string): unknown {
  if (!isRequestError(error)) return error;
  const parameter = error.source?.parameter;
  const where = parameter === undefined ? '' : ` (at ${parameter})`;
  return new Error(`jsonapi('${url}')${where}: ${error.detail}`, { cause: error });
}

export function entitiesCall({ bundle, access, actor }: QuerySpec): string {
  if (actor !== undefined && actor !== null) return `entities('${bundle}', { actor })`;
  return access === 'all' ? `entities('${bundle}', { access: 'all' })` : `entities('${bundle}')`;
}

function callError(error: ApiError, spec: QuerySpec, call: string): Error {
  return new Error(`${entitiesCall(spec)}.${call}: ${error.detail}`, { cause: error });
}

// By its shape: the engine may come from another module instance, whose classes are others.
function isRequestError(error: unknown): error is ApiError {
  return error instanceof Error && 'status' in error && 'detail' in error && 'source' in error;
}
