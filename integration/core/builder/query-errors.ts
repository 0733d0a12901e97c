import type { ResourceType } from '../content/model.ts';
import { closestName, didYouMean } from '../util/closest-name.ts';
import type { DomainError } from '../util/errors.ts';
import { entitiesCall, type QuerySpec } from './format-query.ts';

/**
 * The resource type of a bundle name: a full name (`taxonomy_term--tags`), a bundle of `node`, or the only bundle of that
 * name. For any other name, throws an Error with the call and the bundles.
 */
export function findType(
  types: ReadonlyMap<string, ResourceType>,
  bundle: string,
  call = 'entities',
): ResourceType {
  const exact = types.get(bundle) ?? types.get(`node--${bundle}`);
  if (exact !== undefined) return exact;
  const sameName = [...types.values()].filter((type) => type.bundle === bundle);
  const [only, ...others] = sameName;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new Error(
      `${call}('${bundle}'): several resource types have this bundle name. Use one of ${list(sameName.map(({ name }) => name))}.`,
    );
  }
  const names = [...types.values()].map((type) => (type.entityType === 'node' ? type.bundle : type.name));
  const guess = didYouMean(closestName(bundle, names));
  const choices = names.length === 0 ? 'The site has no content.' : `Bundles: ${list(names)}.`;
  throw new Error(`${call}('${bundle}'): unknown bundle "${bundle}".${guess} ${choices}`);
}

/**
 * An error of the engine as an error of the call in the site's code, which conditions and sort keys have as their
 * parameter: `entities('article').where('field_autor.title', '=', 'Ada'): node--article has no field …`.
 * Other errors are returned unchanged.
 */
export function queryError(error: unknown, spec: QuerySpec, call?: string): unknown {
  if (!isRequestError(error)) return error;
  const at = call ?? error.source?.parameter;
  const calls = [entitiesCall(spec), ...(at === undefined ? [] : [at])].join('.');
  return new Error(`${calls}: ${error.detail}`, { cause: error });
}

/** The same for `jsonapi(url)`, whose parameters have names of their own. */
export function requestError(error: unknown, url: string): unknown {
  if (!isRequestError(error)) return error;
  const parameter = error.source?.parameter;
  const at = parameter === undefined ? '' : ` (at ${parameter})`;
  return atCaller(`jsonapi('${url}')${at}: ${error.detail}`, error);
}

/** An error whose stack starts in the site's own code, which Astro's overlay shows. */
function atCaller(message: string, cause: DomainError): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const error = new Error(message, { cause });
  Error.stackTraceLimit = limit;
  const frames = (error.stack ?? '').split('\n').filter((line) => FRAME.test(line));
  const callers = frames.filter((line) => !line.includes(OWN_FILES) && !line.includes('(node:'));
  // In a bundle, all code may be in one folder.
  if (callers.length > 0) error.stack = `${error.name}: ${message}\n${callers.slice(0, limit).join('\n')}`;
  return error;
}

/**
 * Runs a query for a method of the builder. The stack of an error of the query starts at the call of that method, also if the
 * site's code returns the promise without awaiting it.
 */
export async function atCall<T>(run: () => Promise<T>): Promise<T> {
  const call = new Error();
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && QUERY_MESSAGE.test(error.message)) {
      // The first line has the message; the others are of this function, of the method, and of its callers.
      const callers = call.stack?.split('\n').slice(3);
      if (callers?.length) error.stack = [error, ...callers].join('\n');
    }
    throw error;
  }
}

/** How messages of query errors start. */
const QUERY_MESSAGE = /^(?:entities|paginate)\(/;

/** Enough to reach the caller through our own frames. */
const FRAMES = 50;
const FRAME = /^\s+at /;
/** The folder of this package's code, as frames name it. A module of a Worker has no address. */
const OWN_FILES = URL.parse('..', import.meta.url)?.pathname ?? '';

// Checked by shape: the engine may come from another module instance with other classes.
export function isRequestError(error: unknown): error is DomainError {
  return error instanceof Error && 'reason' in error && 'detail' in error && 'source' in error;
}

function list(names: readonly string[]): string {
  return names.join(', ');
}
