import type { Method } from '../location-hash.ts';
import type { ExplorerSchema, ExplorerType } from '../schema.ts';

/** What a request that changes content is about: the address, taken apart. */
export interface WriteTarget {
  readonly method: Exclude<Method, 'GET'>;
  /** `/node/article/tides/spring?include=field_author`, below `/jsonapi`. */
  readonly path: string;
  readonly type: ExplorerType;
  /** Empty where the address is that of a collection. */
  readonly id: string;
  /** Whether there is a form for it: else the document is written by hand, as for a relationship. */
  readonly formed: boolean;
}

/** Undefined where no bundle of the schema is addressed. */
export function readTarget(
  schema: ExplorerSchema,
  method: WriteTarget['method'],
  path: string,
): WriteTarget | undefined {
  const [address = ''] = path.split('?');
  const [entityType, bundle, ...rest] = address.split('/').filter((segment) => segment !== '');
  const type = schema.types.find((known) => known.entityType === entityType && known.bundle === bundle);
  if (type === undefined) return undefined;
  const id = rest.map(decoded).join('/');
  const formed = method === 'POST' ? id === '' : rest.at(-2) !== 'relationships';
  return { method, path, type, id, formed };
}

/** The path of a collection, or of one resource in it; the slashes of an id stay. */
export function pathTo(type: Pick<ExplorerType, 'entityType' | 'bundle'>, id = ''): string {
  const below = id === '' ? '' : `/${id.split('/').map(encodeURIComponent).join('/')}`;
  return `/${type.entityType}/${type.bundle}${below}`;
}

/** The path that another method has for what a path is about: a new resource is made in its collection. */
export function pathFor(schema: ExplorerSchema, method: Method, path: string): string {
  if (method === 'GET') return path;
  const target = readTarget(schema, method, path);
  const type = target?.type ?? schema.types[0];
  if (type === undefined) return path;
  if (target?.formed === false && target.id !== '' && method !== 'POST') return path.split('?')[0] ?? path;
  return pathTo(type, method === 'POST' ? '' : target?.id);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
