import type { DomainError } from '../util/errors.ts';
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
  return atCaller(`jsonapi('${url}')${where}: ${error.detail}`, error);
}

export function entitiesCall({ bundle, access, actor }: QuerySpec): string {
  if (actor !== undefined && actor !== null) return `entities('${bundle}', { actor })`;
  return access === 'all' ? `entities('${bundle}', { access: 'all' })` : `entities('${bundle}')`;
}

function callError(error: DomainError, spec: QuerySpec, call: string): Error {
  return atCaller(`${entitiesCall(spec)}.${call}: ${error.detail}`, error);
}

/** An error whose stack begins where the site's own code asks, which is what Astro's overlay shows. */
function atCaller(message: string, cause: DomainError): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const error = new Error(message, { cause });
  Error.stackTraceLimit = limit;
  const frames = (error.stack ?? '').split('\n').filter((line) => FRAME.test(line));
  const called = frames.filter((line) => !line.includes(OWN_FILES) && !line.includes('(node:'));
  // In a bundle all code may be of one folder.
  if (called.length > 0) error.stack = `${error.name}: ${message}\n${called.slice(0, limit).join('\n')}`;
  return error;
}

/** Enough to reach beyond our own. */
const FRAMES = 50;
const FRAME = /^\s+at /;
/** The folder of this package's code, as frames name it. */
const OWN_FILES = new URL('..', import.meta.url).pathname;

// By its shape: the engine may come from another module instance, whose classes are others.
function isRequestError(error: unknown): error is DomainError {
  return error instanceof Error && 'reason' in error && 'detail' in error && 'source' in error;
}
