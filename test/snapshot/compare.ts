import { publishedServices } from '../../integration/core/api/published.ts';
import type { Services } from '../../integration/core/api/request.ts';
import { createHandler } from '../support/handler.ts';
import { ORIGIN } from '../support/request.ts';
import { createTestSnapshot, type TestSnapshotOptions } from './snapshot.ts';

/** A request that a server and a snapshot answer differently. */
export interface Difference {
  readonly request: string;
  readonly served: unknown;
  readonly read: unknown;
}

export interface ComparedRequest {
  readonly target: string;
  readonly method?: string;
  readonly accept?: string;
  readonly body?: string;
}

/** Sends a request to both. Resolves to null for equal answers, and to undefined if the snapshot passes the request on. */
export type Compare = (request: ComparedRequest) => Promise<Difference | null | undefined>;

/** Compares the answers of a server without accounts with those of a snapshot: status, headers and bytes. */
export async function createCompare(services: Services, options?: TestSnapshotOptions): Promise<Compare> {
  const handle = createHandler(services);
  const snapshot = await createTestSnapshot(publishedServices(services), options);
  return async ({ target, method = 'GET', accept, body }) => {
    const request = () =>
      new Request(ORIGIN + target, {
        method,
        ...(accept && { headers: { accept } }),
        ...(body !== undefined && method !== 'GET' && { body }),
      });
    const read = await contentOf(await snapshot.handle(request()));
    if (read === undefined) return undefined;
    const served = await contentOf(await handle(request()));
    if (JSON.stringify(served) === JSON.stringify(read)) return null;
    return { request: `${method} ${target}`, served, read };
  };
}

/** Compares the answers to many requests. Requests that the snapshot passes on do not count. */
export async function compareAnswers(
  services: Services,
  requests: Iterable<ComparedRequest>,
  options?: TestSnapshotOptions,
): Promise<{ readonly answered: number; readonly differences: readonly Difference[] }> {
  const compare = await createCompare(services, options);
  const differences: Difference[] = [];
  let answered = 0;
  for (const request of requests) {
    const difference = await compare(request);
    if (difference === undefined) continue;
    answered++;
    if (difference !== null) differences.push(difference);
  }
  return { answered, differences };
}

async function contentOf(response: Response | undefined) {
  if (response === undefined) return undefined;
  const { status, headers } = response;
  return { status, headers: [...headers], body: await response.text() };
}
