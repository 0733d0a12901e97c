/**
 * Sends reads and writes to a server at fixed rates, whether or not it keeps up: `<settings as JSON>`. Prints a
 * `LoadResult` as JSON. It ends by itself: requests and time are bounded.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '../support/random.ts';

export interface LoadSettings {
  readonly origin: string;
  /** A server with a constant response, which gets as many reads. */
  readonly control: string;
  readonly token: string;
  readonly seconds: number;
  /** Requests per second. */
  readonly reads: number;
  readonly writes: number;
  /** Articles are named `a0` and so on. */
  readonly articles: number;
}

export interface LoadResult {
  readonly reads: Latencies;
  readonly writes: Latencies;
  readonly control: Latencies;
  /** Requests that were sent again because the server had just closed their idle connection (RFC 9112, 9.5). */
  readonly resent: number;
  readonly errors: number;
  /** The first few. */
  readonly messages: readonly string[];
}

/** Milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Seconds since the beginning with responses that took over 100 ms, and how many. */
  readonly slow: readonly (readonly [second: number, count: number])[];
}

/** A request that takes longer is an error, even on a machine that others keep busy. */
const TIMEOUT_MS = 120_000;
const MOST_ERRORS = 1000;

const settings: LoadSettings = JSON.parse(process.argv[2] ?? '');
const { origin, control: controlOrigin, token, seconds, articles } = settings;
// Only an agent with a timeout closes idle connections before the server does.
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: TIMEOUT_MS });
const messages: string[] = [];
let errors = 0;
let resent = 0;

const [reads, writes, control] = await Promise.all([
  load(settings.reads, () => send('GET', origin + readPath())),
  load(settings.writes, (number) =>
    send('PATCH', `${origin}/api/content/articles/${anyArticle()}`, { title: `Title ${number}` }),
  ),
  load(settings.reads, () => send('GET', controlOrigin)),
]);
agent.destroy();
const result: LoadResult = { reads, writes, control, resent, errors, messages };
console.log(JSON.stringify(result));

/** Starts a request when it is due, even if earlier ones have no answer yet. A latency counts from then. */
async function load(rate: number, work: (number: number) => Promise<void>): Promise<Latencies> {
  const latencies: number[] = [];
  const slow = new Map<number, number>();
  const open = new Set<Promise<void>>();
  const begun = performance.now();
  for (let number = 0; number < rate * seconds && errors < MOST_ERRORS; number += 1) {
    const due = begun + (number * 1000) / rate;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    const running = work(number)
      .then(() => {
        const ms = performance.now() - due;
        const second = Math.floor((due - begun) / 1000);
        latencies.push(ms);
        if (ms > 100) slow.set(second, (slow.get(second) ?? 0) + 1);
      })
      .catch((error: Error) => {
        errors += 1;
        if (messages.length < 10) messages.push(error.message);
      })
      .finally(() => open.delete(running));
    open.add(running);
  }
  await Promise.all(open);
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round((latencies[Math.floor(share * (latencies.length - 1))] ?? 0) * 10) / 10;
  return {
    count: latencies.length,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    slow: [...slow].sort(([a], [b]) => a - b),
  };
}

function anyArticle(): string {
  return `a${Math.floor(random() * articles)}`;
}

/** Six of ten reads ask for one article, the others for a filtered and sorted page. */
function readPath(): string {
  const chance = random();
  if (chance < 0.6) return `/jsonapi/node/article/${anyArticle()}?include=field_author`;
  const rating = Math.floor(random() * 100);
  const query = `filter[field_rating]=${rating}&sort=-title&page[limit]=10`;
  return chance < 0.9
    ? `/jsonapi/node/article?${query}`
    : `/api/content/articles?filter[field_rating]=${rating}&sort=-title&limit=10`;
}

function send(method: string, url: string, body?: unknown): Promise<void> {
  const headers =
    body === undefined ? {} : { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers, timeout: TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`${method} ${url}: ${statusCode} ${text.slice(0, 200)}`));
      });
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${url}: no answer after ${TIMEOUT_MS} ms`)));
    sent.on('error', (error) => {
      const isClosedWhileIdle = sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      if (!isClosedWhileIdle) reject(error);
      else {
        resent += 1;
        send(method, url, body).then(resolve, reject);
      }
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
