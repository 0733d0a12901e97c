import { randomUUID } from 'node:crypto';
import { type Environment, optionValue, variableIn } from '../../core/options/fields.ts';
import { type EntityChange, mergeChanges } from '../../core/runtime/content-changes.ts';
import { createRetry } from '../../core/runtime/retry.ts';
import { SIGNING_SECRET, signedHeaders } from '../../core/runtime/signed-hook.ts';
import { errorMessage } from '../../core/util/text.ts';
import type { Webhook, WebhookEvent } from './options.ts';

export interface WebhooksDeps {
  readonly webhooks: readonly Webhook[];
  /** The variables that options name. */
  readonly environment: Environment;
  /** Names of resource types that are not in the API, so a webhook does not name them either. */
  hiddenTypes(): readonly string[];
  /** True if no commit or push is pending. */
  isCommitted(): boolean;
  readonly log: { info(message: string): void; warn(message: string): void };
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds without a change after which webhooks are called. Default: QUIET_MS. */
  readonly quietMs?: number;
}

export interface Webhooks {
  report(changes: readonly EntityChange[]): void;
  /** Calls webhooks for the last changes, within a few seconds. */
  close(): Promise<void>;
}

const QUIET_MS = 1000;
/** A burst of changes that does not end is reported in parts. */
const MAX_QUIET_PERIODS = 30;
const TIMEOUT_MS = 15_000;
const CLOSE_LIMIT_MS = 5000;
/** Resources in the body of one request. */
const MAX_LISTED = 1000;

/** Calls the webhooks of option `webhooks` after changes of what anonymous visitors see. Never throws. */
export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const hooks = deps.webhooks.flatMap((webhook, index) => openWebhook(deps, webhook, index) ?? []);
  return {
    report(changes) {
      const visible = changes.filter(({ before, after, isEdited }) => isEdited && (before ?? after));
      if (visible.length > 0) for (const { report } of hooks) report(visible);
    },
    async close() {
      await Promise.all(hooks.map(({ close }) => close()));
    },
  };
}

/** Undefined if its variables are not set. */
function openWebhook(deps: WebhooksDeps, webhook: Webhook, index: number): Webhooks | undefined {
  const { environment, log, quietMs = QUIET_MS } = deps;
  const option = `webhooks.${index}`;
  const missing = [webhook.url, webhook.secret].find(
    (text) => text !== undefined && optionValue(text, environment) === undefined,
  );
  if (missing !== undefined) {
    log.warn(
      `Option ${option}: the environment variable ${variableIn(missing)} is not set, so it is not called.`,
    );
    return undefined;
  }
  const url = optionValue(webhook.url, environment) ?? '';
  const secret = webhook.secret && optionValue(webhook.secret, environment);
  const problem = problemOf(webhook, url, secret);
  if (problem !== undefined) {
    log.warn(`Option ${option}: ${problem}, so it is not called.`);
    return undefined;
  }
  // The rest of the URL can be secret.
  const name = `The webhook at ${new URL(url).host} (option ${option})`;
  let pending = new Map<string, EntityChange>();
  /** Stays the same if the same changes are sent again. */
  let id = '';
  let timer: NodeJS.Timeout | undefined;
  let firstAt = 0;

  const sending = createRetry({
    async work() {
      const changes = [...pending.values()];
      const requests = requestsOf({ webhook, url, secret, id }, changes, deps.hiddenTypes());
      pending = new Map();
      const refusals = new Set<string>();
      let failure: unknown;
      for (const request of requests) {
        // The paths after one that the front end does not know, or cannot render now, can be valid.
        await send(request, deps.fetch ?? fetch).catch((error: unknown) => {
          if (error instanceof RefusedError) refusals.add(error.message);
          else failure ??= error;
        });
        if (failure instanceof UnreachableError) break;
      }
      for (const reason of refusals) log.warn(`${name} is not called again for this change. ${reason}`);
      if (failure === undefined) return;
      pending = merged(changes, [...pending.values()]);
      throw failure;
    },
    firstDelay: 1000,
    maxDelay: 600_000,
    log,
    describe: errorMessage,
    failing: (reason) => `${name} cannot be called. ${reason} The server tries again.`,
    recovered: `${name} is called again.`,
  });

  function wait(): void {
    timer = setTimeout(() => {
      // A deployment builds the content of the repository.
      if (!deps.isCommitted()) return wait();
      timer = undefined;
      sending.run();
    }, quietMs).unref();
  }

  return {
    report(changes) {
      pending = merged([...pending.values()], changes);
      id = `msg_${randomUUID().replaceAll('-', '')}`;
      const now = performance.now();
      if (timer === undefined) firstAt = now;
      else if (now - firstAt > quietMs * MAX_QUIET_PERIODS) return;
      clearTimeout(timer);
      wait();
    },
    async close() {
      clearTimeout(timer);
      // Also during a call, which can fail. Sends nothing if no change is left.
      sending.run();
      await sending.close(CLOSE_LIMIT_MS);
    },
  };
}

/** The request must not be sent again. */
class RefusedError extends Error {}

/** The receiver did not respond, so other requests would not get a response either. */
class UnreachableError extends Error {}

async function send({ url, ...init }: HookRequest, fetch: typeof globalThis.fetch): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    // Messages of fetch can contain the URL.
    throw new UnreachableError(
      isLate ? `It has not responded for ${TIMEOUT_MS / 1000} seconds.` : 'It does not respond.',
    );
  }
  await response.body?.cancel();
  const { status } = response;
  if (response.ok) return;
  if (status >= 300 && status < 400) {
    throw new RefusedError(`It responded with a redirect (${status}), and redirects are not followed.`);
  }
  const reason = `It responded with ${status}.`;
  const isTemporary = status >= 500 || status === 408 || status === 429;
  throw isTemporary ? new Error(reason) : new RefusedError(reason);
}

interface HookRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface OpenHook {
  readonly webhook: Webhook;
  readonly url: string;
  readonly secret: string | undefined;
  readonly id: string;
}

/** None if no change is one of the events. */
function requestsOf(
  { webhook, url, secret, id }: OpenHook,
  changes: readonly EntityChange[],
  hiddenTypes: readonly string[],
): readonly HookRequest[] {
  const wanted = changes.filter((change) => webhook.events.some((event) => event === operationOf(change)));
  if (wanted.length === 0) return [];
  const listed = wanted.filter(({ type }) => !hiddenTypes.includes(type));
  if (webhook.format === 'next-drupal') {
    const paths = listed.flatMap(({ before, after }) => [before?.path, after?.path]);
    return [...new Set(paths)].flatMap((path) =>
      path === undefined ? [] : [revalidation(url, secret, path)],
    );
  }
  const resources = listed.slice(0, MAX_LISTED).map((change) => ({
    operation: operationOf(change),
    type: change.type,
    id: change.id,
    langcode: change.langcode,
    path: (change.after ?? change.before)?.path,
  }));
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({
    type: 'content.changed',
    timestamp,
    data: { resources, total: listed.length },
  });
  const headers = { 'content-type': 'application/json', ...(secret && signedHeaders(secret, id, body)) };
  return [{ url, method: 'POST', headers, body }];
}

/** Source: next-drupal, `app/api/revalidate/route.ts` of its starters. */
function revalidation(url: string, secret: string | undefined, path: string): HookRequest {
  const address = new URL(url);
  address.searchParams.set('path', path);
  if (secret !== undefined) address.searchParams.set('secret', secret);
  return { url: address.href, method: 'GET' };
}

function problemOf(
  { url, format }: Webhook,
  address: string,
  secret: string | undefined,
): string | undefined {
  const target = URL.canParse(address) ? new URL(address) : undefined;
  const source = variableIn(url) ?? 'url';
  if (target === undefined || !['http:', 'https:'].includes(target.protocol)) return `${source} is not a URL`;
  if (target.username !== '' || target.password !== '') {
    return `${source} has a user name or password, which requests cannot have in a URL`;
  }
  if (format !== 'json' || secret === undefined || SIGNING_SECRET.test(secret)) return undefined;
  return 'the secret must be whsec_ and at least 24 random bytes in base64';
}

function operationOf({ before, after }: EntityChange): WebhookEvent | undefined {
  if (before === undefined) return after === undefined ? undefined : 'create';
  return after === undefined ? 'delete' : 'update';
}

function merged(first: readonly EntityChange[], second: readonly EntityChange[]): Map<string, EntityChange> {
  const changes = new Map<string, EntityChange>();
  for (const change of [...first, ...second]) {
    const key = JSON.stringify([change.type, change.id, change.langcode]);
    const earlier = changes.get(key);
    changes.set(key, earlier === undefined ? change : mergeChanges(earlier, change));
  }
  return changes;
}
