import { z } from 'zod';
import type { Limits } from '../engine/limits.ts';
import { ClientGoneError } from '../engine/time-slices.ts';
import { type Composed, writeJson } from '../read/compose.ts';
import { JSON_MEDIA_TYPE } from '../read/document-types.ts';
import type { Production } from '../read/production.ts';
import type { WrittenPart } from '../read/reader.ts';
import { DomainError, NotAcceptableError } from '../util/errors.ts';
import { readJson } from '../write/request-json.ts';
import { errorResponse } from './errors.ts';

export interface SubrequestDeps {
  /** Of the site. Requests to other origins are rejected. */
  readonly origin: string;
  readonly limits: Limits;
  /** Serves one GET request; undefined if no route matches. */
  forward(request: Request): Promise<Response | undefined>;
  /** Lets other requests run in between. */
  readonly work: Pick<Production, 'pause'>;
}

/**
 * Serves several GET requests in one, like Drupal's module subrequests with `action: 'view'`. A `uri` may contain parts of
 * an earlier response, such as `{{router.body@$.jsonapi.individual}}`. The response to it is then named
 * `<requestId>#uri{0}`, and is omitted if the part does not exist. Throws for a body that is not such a list, and if all
 * responses together are too large.
 */
export async function answerSubrequests(body: string, deps: SubrequestDeps): Promise<Composed> {
  const { limits, work } = deps;
  const requests = readList(body, limits);
  const bodies = new Map<string, unknown>();
  const members = Object.create(null) as Record<string, WrittenPart>;
  let left = limits.subrequestsAnswerBytes;
  for (const [index, { requestId, uri, headers }] of requests.entries()) {
    const address = fillIn(uri, bodies);
    if (address === undefined) continue;
    const request = createRequest(address, headers, deps);
    const { text, bytes, status, type } = await serve(request, left, deps);
    left -= bytes;
    const later = requests.slice(index + 1);
    if (later.some((other) => refersTo(other.uri, requestId))) bodies.set(requestId, parseJson(text));
    const name = address === uri ? requestId : `${requestId}#uri{0}`;
    members[name] = writeJson({
      body: text,
      headers: { 'content-id': [`<${name}>`], 'content-type': [type], status: [status] },
    });
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  return { members };
}

function readList(body: string, { subrequests }: Limits): z.output<typeof listSchema> {
  const result = listSchema.safeParse(readJson(body));
  if (result.success) {
    if (result.data.length <= subrequests) return result.data;
    throw badRequest(`The body may contain at most ${subrequests} requests, not ${result.data.length}.`);
  }
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? 'The body' : issue.path.join('.');
  throw badRequest(`${path}: ${issue?.message ?? NOT_A_LIST}.`);
}

const NOT_A_LIST = 'must be an array of requests';
const listSchema = z
  .array(
    z.object({
      requestId: z.string().min(1),
      action: z.literal('view', "only the action 'view' is supported"),
      uri: z.string().min(1),
      headers: z.record(z.string(), z.string()).default({}),
    }),
    NOT_A_LIST,
  )
  .superRefine((requests, { addIssue }) => {
    const ids = new Set<string>();
    for (const [index, { requestId }] of requests.entries()) {
      const message = `'${requestId}' is the requestId of an earlier request; each response needs its own`;
      if (ids.has(requestId)) addIssue({ code: 'custom', path: [index, 'requestId'], message });
      ids.add(requestId);
    }
  });

function createRequest(
  address: string,
  headers: Readonly<Record<string, string>>,
  { origin }: SubrequestDeps,
): Request {
  const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined;
  if (url?.origin !== origin) throw badRequest(`'${address}' is not an address of this site.`);
  const accept = Object.entries(headers).find(([name]) => name.toLowerCase() === 'accept')?.[1];
  try {
    return new Request(url, accept === undefined ? {} : { headers: { accept } });
  } catch (cause) {
    const detail = `'${address}' cannot be requested: its address contains credentials, or its Accept header is not valid.`;
    throw new DomainError('bad-request', detail, { cause });
  }
}

interface SubResponse {
  readonly text: string;
  readonly bytes: number;
  readonly status: number;
  readonly type: string;
}

/** The response to one request; an error response if it fails, whatever the reason. Throws if more than `left` bytes come. */
async function serve(request: Request, left: number, deps: SubrequestDeps): Promise<SubResponse> {
  const response = await deps.forward(request);
  if (response === undefined) {
    throw badRequest(`No route serves '${new URL(request.url).pathname}' in a subrequest.`);
  }
  const { limits } = deps;
  try {
    return await read(await jsonOnly(request, response), left, limits);
  } catch (error) {
    if (error instanceof ClientGoneError || error instanceof AnswersTooLargeError) throw error;
    return read(errorResponse(request, 'router', error), left, limits);
  }
}

/** A file cannot be a string in JSON: the response becomes a 406. */
async function jsonOnly(request: Request, response: Response): Promise<Response> {
  if (JSON_TYPE.test(response.headers.get('content-type') ?? '')) return response;
  await response.body?.cancel();
  const { pathname } = new URL(request.url);
  const detail = `'${pathname}' is not JSON. Request it on its own, not in /subrequests.`;
  return errorResponse(request, 'router', new NotAcceptableError(detail, { parameter: 'uri' }));
}

const JSON_TYPE = /^application\/(?:[\w.]+\+)?json\b/;

async function read(response: Response, left: number, limits: Limits): Promise<SubResponse> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > left) throw new AnswersTooLargeError(limits);
    text += decoder.decode(chunk, { stream: true });
  }
  const type = response.headers.get('content-type') ?? JSON_MEDIA_TYPE;
  return { text: text + decoder.decode(), bytes, status: response.status, type };
}

class AnswersTooLargeError extends DomainError {
  constructor({ subrequestsAnswerBytes }: Limits) {
    super(
      'too-large',
      `The responses together may have at most ${subrequestsAnswerBytes} bytes. Request smaller pages, fewer fields, or split the requests.`,
    );
  }
}

/** Undefined for invalid JSON, such as a broken file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refersTo(uri: string, requestId: string): boolean {
  return [...uri.matchAll(TOKEN)].some(([, name]) => name === requestId);
}

/** The address with its tokens replaced; undefined if a response does not have the part. */
function fillIn(uri: string, bodies: ReadonlyMap<string, unknown>): string | undefined {
  let isComplete = true;
  const address = uri.replace(TOKEN, (_, requestId: string, path: string) => {
    let value = bodies.get(requestId);
    for (const name of path.split('.')) {
      const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      value = isMember ? Reflect.get(value as object, name) : undefined;
    }
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    isComplete = false;
    return '';
  });
  return isComplete ? address : undefined;
}

/** `{{router.body@$.jsonapi.individual}}` */
const TOKEN = /\{\{([^{}.]+)\.body@\$\.([^{}]+)\}\}/g;

function badRequest(detail: string): DomainError {
  return new DomainError('bad-request', detail);
}
