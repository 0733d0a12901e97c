import { account } from './account.svelte.ts';
import { API } from './config.ts';
import { type ApiProblem, type JsonObject, objectOf, type Resource, readFacts } from './document.ts';
import { fileValues } from './file-values.ts';
import { type ApiResponse, isSuccess, type RequestOptions, send } from './request.ts';

export type { Resource };

export interface ResourceList {
  readonly items: readonly Resource[];
  /** Number of matching resources on all pages. */
  readonly count: number;
  readonly included: readonly Resource[];
  readonly meta: JsonObject;
}

/** A request that the server did not carry out, or that did not reach it. */
export class RequestError extends Error {
  /** Undefined if no response arrived. */
  readonly status: number | undefined;
  readonly problems: readonly ApiProblem[];
  readonly response: ApiResponse;

  constructor(response: ApiResponse) {
    const { errors } = readFacts(response.document);
    const { message } = objectOf(response.document);
    const details = errors.map(({ detail, title }) => detail || title);
    super(
      response.failure ??
        (details.join(' ') || String(message ?? `${response.status} ${response.statusText}`)),
    );
    this.status = response.status;
    this.problems = errors;
    this.response = response;
  }
}

/** Sends a request to the API, such as `/node/article?sort=title`. Throws RequestError, or what `signal` throws. */
export async function request(path: string, options?: RequestOptions): Promise<ApiResponse> {
  const response = await send(API + path, options);
  await account.follow(response);
  if (!isSuccess(response)) throw new RequestError(response);
  return response;
}

/** Sends a JSON:API document, again after signing in if the session has ended. Throws like `request`. */
export async function sendDocument(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  document?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> {
  const options = {
    method,
    headers: { ...(document !== undefined && { 'Content-Type': 'application/vnd.api+json' }), ...headers },
    ...(document !== undefined && { body: JSON.stringify(document) }),
  };
  try {
    return await request(path, options);
  } catch (error) {
    if (!account.isSignedOut) throw error;
    await account.signedIn();
    return request(path, options);
  }
}

/** Carries out operations in one request, or none of them. Throws like `request`. */
export function sendOperations(operations: readonly JsonObject[], query = ''): Promise<ApiResponse> {
  return postOperations(`/operations${query}`, operations);
}

/** Sends operations to an address that takes them, such as `/operations`. Throws like `request`. */
export function postOperations(path: string, operations: readonly JsonObject[]): Promise<ApiResponse> {
  const headers = { 'Content-Type': ATOMIC, Accept: ATOMIC };
  return sendDocument('POST', path, { 'atomic:operations': operations }, headers);
}

const ATOMIC = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"';

export async function readList(path: string, signal?: AbortSignal): Promise<ResourceList> {
  const { document } = await request(path, signal && { signal });
  const { data, included, meta } = objectOf(document);
  const items = Array.isArray(data) ? data.map((each) => resourceOf(each, included)) : [];
  return {
    items,
    count: readFacts(document).count ?? items.length,
    included: Array.isArray(included) ? included.map((each) => resourceOf(each)) : [],
    meta: objectOf(meta),
  };
}

export async function readResource(path: string, signal?: AbortSignal): Promise<Resource> {
  return resourceIn(await request(path, signal && { signal }));
}

/** The resource in a response. */
export function resourceIn({ document }: Pick<ApiResponse, 'document'>): Resource {
  const { data, included } = objectOf(document);
  return resourceOf(data, included);
}

/** Files in fields are among the attributes, as forms have them. */
function resourceOf(value: unknown, included?: unknown): Resource {
  const { type, id, attributes, relationships, meta, links } = objectOf(value);
  return {
    type: String(type),
    id: String(id),
    attributes: { ...objectOf(attributes), ...fileValues(relationships, included) },
    relationships: objectOf(relationships),
    meta: objectOf(meta),
    links: objectOf(links),
  };
}

/** `title`, else the id. */
export function titleOf({ id, attributes: { title } }: Pick<Resource, 'id' | 'attributes'>): string {
  return typeof title === 'string' && title !== '' ? title : id;
}

/** The value of `If-Match` for a change that is based on this state. */
export function matchHeader({
  meta: { revision },
}: Pick<Resource, 'meta'>): Readonly<Record<string, string>> {
  return typeof revision === 'string' ? { 'If-Match': `"${revision}"` } : {};
}

/** The parameters of an entity's screens. */
export function screenParameters({ type, id }: Pick<Resource, 'type' | 'id'>): {
  readonly entityType: string;
  readonly bundle: string;
  readonly id: string;
} {
  const [entityType = '', bundle = ''] = type.split('--');
  return { entityType, bundle, id };
}
