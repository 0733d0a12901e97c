import type { Services } from '../../integration/core/api/request.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createCompare } from '../snapshot/compare.ts';
import { createHandler } from '../support/handler.ts';
import { jsonApiProblems } from '../support/jsonapi-schema.ts';
import { createFuzzer, type FuzzRequest } from './fuzz-requests.ts';
import { vocabularyOf } from './fuzz-vocabulary.ts';

export interface FuzzReport {
  /** The number of responses by status; `none` for a path that is left to the site. */
  readonly statuses: ReadonlyMap<string, number>;
  /** The requests with the most CPU time on the first attempt, most first. */
  readonly slowest: readonly TimedRequest[];
  /** The problem with a response, or its CPU times on each attempt. */
  readonly offenders: readonly { readonly request: FuzzRequest; readonly problem: string }[];
  /** Documents checked against the schema of JSON:API. */
  readonly validated: number;
  /** Requests that a snapshot of the content answered too. */
  readonly compared: number;
  /** Wall-clock time of the handler alone, milliseconds. */
  readonly handledMs: number;
}

/** Milliseconds of this thread's CPU that one request may take on the demo content. */
export const MAX_CPU_MS = 50;

/**
 * Sends `count` requests to the handler and checks every response: no 500, a valid document, little CPU time, and the
 * same bytes from a snapshot. A request over MAX_CPU_MS is repeated alone three times and fails if it exceeds the limit each time.
 */
export async function runFuzz(services: Services, count: number, seed: number): Promise<FuzzReport> {
  const handle = createHandler(services);
  const compare = await createCompare(services, { search: { language: 'en', languages: { de: 'de' } } });
  const next = createFuzzer(vocabularyOf(services), seed);
  const statuses = new Map<string, number>();
  const offenders: { request: FuzzRequest; problem: string }[] = [];
  let slowest: TimedRequest[] = [];
  let validated = 0;
  let compared = 0;
  let handledMs = 0;
  for (let left = count; left > 0; left--) {
    const request = next();
    const started = performance.now();
    const answer = await send(handle, request);
    handledMs += performance.now() - started;
    const status = String(answer.response?.status ?? 'none');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const problem = answer.fault ?? problemOf(answer);
    if (problem !== undefined) offenders.push({ request, problem });
    if (answer.response?.headers.get('content-type') === JSONAPI && answer.text !== '') validated++;
    const difference = await compare(request);
    if (difference !== undefined) compared++;
    if (difference)
      offenders.push({ request, problem: `from a snapshot: ${JSON.stringify(difference.read)}` });
    if (answer.cpuMs > (slowest.at(-1)?.cpuMs ?? 0) || slowest.length < SLOWEST) {
      slowest.push({ request, cpuMs: answer.cpuMs, status });
      slowest = slowest.sort((a, b) => b.cpuMs - a.cpuMs).slice(0, SLOWEST);
    }
    if (answer.cpuMs > MAX_CPU_MS) {
      const again = [await send(handle, request), await send(handle, request), await send(handle, request)];
      const times = again.map(({ cpuMs }) => cpuMs.toFixed(0));
      if (again.every(({ cpuMs }) => cpuMs > MAX_CPU_MS))
        offenders.push({ request, problem: `${times.join(', ')} ms of CPU` });
    }
  }
  return { statuses, slowest, offenders, validated, compared, handledMs };
}

async function send(handle: Handler, { target, method, accept, body }: FuzzRequest): Promise<FuzzAnswer> {
  const request = new Request(ORIGIN + target, {
    method,
    ...(accept === undefined ? {} : { headers: { accept } }),
    ...(body === undefined || method === 'GET' ? {} : { body }),
  });
  const log = console.error;
  const logged: unknown[] = [];
  console.error = (...parts: unknown[]) => logged.push(...parts);
  const before = process.threadCpuUsage();
  try {
    const response = await handle(request);
    const text = (await response?.text()) ?? '';
    const { user, system } = process.threadCpuUsage(before);
    const fault = logged.length > 0 ? { fault: logged.map(String).join(' ') } : {};
    return { response, text, method, cpuMs: (user + system) / 1000, ...fault };
  } catch (error) {
    return { response: undefined, text: '', method, cpuMs: 0, fault: `thrown: ${error}` };
  } finally {
    console.error = log;
  }
}

function problemOf({ response, text, method }: FuzzAnswer): string | undefined {
  if (response === undefined) return undefined;
  const { status, headers } = response;
  if (status >= 500) return `status ${status}`;
  const type = headers.get('content-type');
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? undefined : 'a body';
  if (!TYPES.includes(type ?? '')) return `content type ${type}`;
  return problemOfText(text, type === JSONAPI, status);
}

function problemOfText(text: string, jsonApi: boolean, status: number): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return `no JSON: ${error}`;
  }
  if (jsonApi) {
    const [problem] = jsonApiProblems(document);
    if (problem !== undefined) return `no JSON:API: ${problem.instancePath} ${problem.message}`;
  }
  if (status === 207) return problemOfParts(document);
  if (status < 400) return undefined;
  const [leak] = LEAK.exec(text) ?? [];
  if (leak !== undefined) return `reveals internals: ${leak}`;
  if (jsonApi && !text.includes(`"status":"${status}"`)) return 'an error without its status';
  if (jsonApi && status === 400 && !text.includes('"source":{')) return 'an error without its source';
  return undefined;
}

/** The responses inside a response of `/subrequests`. */
function problemOfParts(document: unknown): string | undefined {
  for (const part of Object.values(document as Readonly<Record<string, Subresponse>>)) {
    const [status = 0] = part.headers.status;
    if (status >= 500) return `status ${status} inside`;
    const problem = problemOfText(part.body, part.headers['content-type'][0] === JSONAPI, status);
    if (problem !== undefined) return `inside: ${problem}`;
  }
  return undefined;
}

const ORIGIN = 'https://site.example';
const JSONAPI = 'application/vnd.api+json';
const TYPES = [JSONAPI, 'application/schema+json', 'application/json'];
const LEAK = /\\n\s+at |\.[jt]s:\d|node_modules|\[object|undefined is|Cannot read/;
const SLOWEST = 10;

interface TimedRequest {
  readonly request: FuzzRequest;
  readonly cpuMs: number;
  readonly status: string;
}

interface FuzzAnswer {
  readonly response: Response | undefined;
  readonly text: string;
  readonly method: string;
  readonly cpuMs: number;
  /** The server error. */
  readonly fault?: string;
}

interface Subresponse {
  readonly body: string;
  readonly headers: { readonly status: readonly number[]; readonly 'content-type': readonly string[] };
}
