import type { JsonObject } from '../../../api/document.ts';
import { type Bundle, bundleAt, pathTo, type Schema } from '../../../api/schema.ts';
import type { Method } from '../hash.ts';

/** The target of a request that changes content. */
export interface WriteTarget {
  readonly method: Exclude<Method, 'GET'>;
  /** API path, such as `/node/article/tides/spring?include=field_author`. */
  readonly path: string;
  readonly bundle: Bundle;
  /** Empty for a collection. */
  readonly id: string;
  /** False for a relationship: its document is written by hand. */
  readonly hasForm: boolean;
}

/** Undefined if the path does not belong to a bundle. */
export function readTarget(
  schema: Schema,
  method: WriteTarget['method'],
  path: string,
): WriteTarget | undefined {
  const match = bundleAt(schema, path);
  if (match === undefined) return undefined;
  const { bundle, rest } = match;
  const id = rest.join('/');
  const hasForm = method === 'POST' ? id === '' : rest.at(-2) !== 'relationships';
  return { method, path, bundle, id, hasForm };
}

/** The path to show when another method is selected: a new resource is created in its collection. */
export function pathFor(schema: Schema, method: Method, path: string): string {
  if (method === 'GET') return path;
  const target = readTarget(schema, method, path);
  const bundle = target?.bundle ?? schema.types[0];
  if (bundle === undefined) return path;
  if (target?.hasForm === false && target.id !== '' && method !== 'POST') return path.split('?')[0] ?? path;
  return pathTo(bundle, method === 'POST' ? '' : target?.id);
}

/** The document of a request before anything was entered. */
export function createDocument({ method, bundle, id, hasForm }: WriteTarget): JsonObject {
  if (!hasForm) return { data: [] };
  return { data: { type: bundle.name, ...(method === 'POST' ? {} : { id }) } };
}
