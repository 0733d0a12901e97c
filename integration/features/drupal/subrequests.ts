import { z } from 'zod';
import { checkQueryLength, type Limits } from '../../core/engine/limits.ts';
import { ClientGoneError } from '../../core/engine/time-slices.ts';
import { type SerializableDocument, writeJson } from '../../core/read/compose.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';
import type { WrittenPart } from '../../core/read/reader.ts';
import type { ResponseWork } from '../../core/read/response-limiter.ts';
import { errorResponse } from '../../core/server/errors.ts';
import { readText } from '../../core/server/read-response.ts';
import { DomainError, NotAcceptableError } from '../../core/util/errors.ts';
import { readJson } from '../../core/write/request-json.ts';

export interface SubrequestDeps {
  /** Of the site. Requests to other origins are rejected. */
  readonly origin: string;
  readonly limits: Limits;
  /** Serves one GET request; undefined if no route matches. */
  forward(request: Request): Promise<Response | undefined>;
  /** Lets other requests run in between. */
  readonly work: Pick<ResponseWork, 'pause'>;
}

/**
 * Serves several GET requests in one, like Drupal's module subrequests with `action: 'view'`. A `uri` may contain parts of
 * an earlier response, such as `{{router.body@$.jsonapi.individual}}`. The response to it is then named
 * `<requestId>#uri{0}`, and is omitted if the part does not exist. Throws for a body that is not such a list, for an address
 * that is too long, and if all responses together are too large.
 */
export async function answerSubrequests(body: string, deps: SubrequestDeps): Promise<SerializableDocument> {
  const { limits, work } = deps;
  const requests = readList(body, limits).map((request) => ({
    ...request,
    template: parseTemplate(request.uri),
  }));
  const bodies = new Map<string, unknown>();
  const members = Object.create(null) as Record<string, WrittenPart>;
  let left = limits.subrequestsAnswerBytes;
  for (const [index, { requestId, uri, template, headers }] of requests.entries()) {
    const parts = fillIn(template, bodies);
    if (parts === undefined) continue;
    const address = join(parts, `/${index}/uri`, deps);
    const request = createRequest(address, headers, deps);
    const { text, bytes, status, type } = await serve(request, left, deps);
    left -= bytes;
    const later = requests.slice(index + 1);
    if (later.some((other) => refersTo(other.template, requestId))) bodies.set(requestId, parseJson(text));
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
  const content = await readText(response, left);
  if (content === undefined) throw new AnswersTooLargeError(limits);
  const type = response.headers.get('content-type') ?? JSON_MEDIA_TYPE;
  return { ...content, status: response.status, type };
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

/** Fixed text, or a part of an earlier response. */
type Piece = string | { readonly requestId: string; readonly path: readonly string[] };

/** The pieces of a `uri` with tokens such as `{{router.body@$.jsonapi.individual}}`. */
function parseTemplate(uri: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: token, 1: requestId = '', 2: path = '', index } of uri.matchAll(TOKEN)) {
    pieces.push(uri.slice(end, index), { requestId, path: path.split('.') });
    end = index + token.length;
  }
  return [...pieces, uri.slice(end)];
}

const TOKEN = /\{\{([^{}.]+)\.body@\$\.([^{}]+)\}\}/g;

function refersTo(template: readonly Piece[], requestId: string): boolean {
  return template.some((piece) => typeof piece !== 'string' && piece.requestId === requestId);
}

/** The parts of the address; undefined if a response does not have one of them. */
function fillIn(
  template: readonly Piece[],
  bodies: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  const parts: string[] = [];
  for (const piece of template) {
    const part = typeof piece === 'string' ? piece : findPart(bodies.get(piece.requestId), piece.path);
    if (typeof part !== 'string' && typeof part !== 'number') return undefined;
    parts.push(String(part));
  }
  return parts;
}

function findPart(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const name of path) {
    const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    if (!isMember) return undefined;
    value = Reflect.get(value as object, name);
  }
  return value;
}

/**
 * The address from its parts. Throws before the string exists if it would be longer than an address of this site can be:
 * a few bytes of a request can name a long text many times.
 */
function join(parts: readonly string[], pointer: string, { origin, limits }: SubrequestDeps): string {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const isAbsolute = parts.find((part) => part !== '')?.startsWith(origin) === true;
  checkQueryLength(length - (isAbsolute ? origin.length : 0), limits, pointer);
  return parts.join('');
}

function badRequest(detail: string): DomainError {
  return new DomainError('bad-request', detail);
}
