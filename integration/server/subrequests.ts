import { z } from 'zod';
import type { Limits } from '../engine/limits.ts';
import { type Composed, writeJson } from '../read/compose.ts';
import { JSON_MEDIA_TYPE } from '../read/document-types.ts';
import type { Production } from '../read/production.ts';
import type { WrittenPart } from '../read/reader.ts';
import { ApiError, NotAcceptableError } from '../util/errors.ts';
import { answerOrError } from './error-response.ts';

export interface SubrequestDeps {
  /** Of the site: only its own addresses are answered. */
  readonly origin: string;
  readonly limits: Limits;
  /** Answers one GET request; undefined for a path that is not ours. */
  ask(request: Request): Promise<Response | undefined>;
  /** Lets others have their turn between the requests. */
  readonly work: Pick<Production, 'pause'>;
}

/**
 * Carries out a list of GET requests in one, as Drupal's module subrequests does for `action: 'view'`. A `uri` may hold
 * parts of an earlier answer, `{{router.body@$.jsonapi.individual}}`. The answer to it is then named
 * `<requestId>#uri{0}`, and is left out if the part does not exist. Throws a 400 for a body that is not such a list, and
 * a 413 if the answers are too large together.
 */
export async function answerSubrequests(body: string, deps: SubrequestDeps): Promise<Composed> {
  const { origin, limits, ask, work } = deps;
  const requests = readList(body, limits);
  const bodies = new Map<string, unknown>();
  const members = Object.create(null) as Record<string, WrittenPart>;
  let left = limits.subrequestsAnswerBytes;
  for (const [at, { requestId, uri, headers }] of requests.entries()) {
    const target = fillIn(uri, bodies);
    if (target === undefined) continue;
    const url = ownUrl(target, origin);
    const accept = Object.entries(headers).find(([name]) => name.toLowerCase() === 'accept')?.[1];
    const request = new Request(url, accept === undefined ? {} : { headers: { accept } });
    const response = await ask(request);
    if (response === undefined) throw badRequest(`Nothing is answered at '${url.pathname}' here.`);
    const { text, bytes, status, type } = await readAnswer(await jsonOnly(request, response), left, limits);
    left -= bytes;
    const later = requests.slice(at + 1);
    if (later.some((other) => refersTo(other.uri, requestId))) bodies.set(requestId, parsed(text));
    const name = target === uri ? requestId : `${requestId}#uri{0}`;
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
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw badRequest('The body is not JSON.', error);
  }
  const result = listSchema.safeParse(json);
  if (result.success) {
    if (result.data.length <= subrequests) return result.data;
    throw badRequest(`The body may hold ${subrequests} requests at most, not ${result.data.length}.`);
  }
  const [issue] = result.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'The body' : issue.path.join('.');
  throw badRequest(`${place}: ${issue?.message ?? 'is no list of requests'}.`);
}

const listSchema = z.array(
  z.object({
    requestId: z.string().min(1),
    action: z.literal('view', "only 'view' is carried out"),
    uri: z.string().min(1),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  'is no list of requests',
);

/** A file cannot be a string in a JSON answer: it becomes a 406. */
async function jsonOnly(request: Request, response: Response): Promise<Response> {
  if (JSON_TYPE.test(response.headers.get('content-type') ?? '')) return response;
  await response.body?.cancel();
  const { pathname } = new URL(request.url);
  const refusal = new NotAcceptableError(
    `'${pathname}' is not JSON. Request it on its own, not in /subrequests.`,
    { parameter: 'uri' },
  );
  return answerOrError(request, 'router', () => Promise.reject(refusal));
}

const JSON_TYPE = /^application\/(?:[\w.]+\+)?json\b/;

interface SubAnswer {
  readonly text: string;
  readonly bytes: number;
  readonly status: number;
  readonly type: string;
}

/** Throws a 413 as soon as the answer has more than `left` bytes. */
async function readAnswer(response: Response, left: number, limits: Limits): Promise<SubAnswer> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > left) throw tooLarge(limits);
    text += decoder.decode(chunk, { stream: true });
  }
  const type = response.headers.get('content-type') ?? JSON_MEDIA_TYPE;
  return { text: text + decoder.decode(), bytes, status: response.status, type };
}

function tooLarge({ subrequestsAnswerBytes }: Limits): ApiError {
  return new ApiError({
    status: 413,
    title: 'Content Too Large',
    detail: `The answers may have ${subrequestsAnswerBytes} bytes together. Ask for smaller pages, for fewer fields, or in several requests.`,
  });
}

/** Undefined for invalid JSON, such as a broken file. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refersTo(uri: string, requestId: string): boolean {
  return [...uri.matchAll(TOKEN)].some(([, name]) => name === requestId);
}

/** The address with its tokens replaced; undefined if an answer does not have the part. */
function fillIn(uri: string, bodies: ReadonlyMap<string, unknown>): string | undefined {
  let whole = true;
  const filled = uri.replace(TOKEN, (_, requestId: string, path: string) => {
    let value = bodies.get(requestId);
    for (const name of path.split('.')) {
      const held = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      value = held ? Reflect.get(value as object, name) : undefined;
    }
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    whole = false;
    return '';
  });
  return whole ? filled : undefined;
}

/** `{{router.body@$.jsonapi.individual}}` */
const TOKEN = /\{\{([^{}.]+)\.body@\$\.([^{}]+)\}\}/g;

function ownUrl(target: string, origin: string): URL {
  const url = URL.canParse(target, origin) ? new URL(target, origin) : undefined;
  if (url?.origin !== origin) throw badRequest(`'${target}' is no address of this site.`);
  return url;
}

function badRequest(detail: string, cause?: unknown): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail, cause });
}
