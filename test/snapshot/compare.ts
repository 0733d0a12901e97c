import { publishedServices } from '../../integration/api/published.ts';
import type { Services } from '../../integration/api/services.ts';
import { createHandler } from '../../integration/server/handler.ts';
import type { Manifest } from '../../integration/snapshot/format.ts';
import { ORIGIN } from '../request.ts';
import { createTestSnapshot } from './snapshot.ts';

/** A request that a server and a snapshot answer differently. */
export interface Difference {
  readonly request: string;
  readonly served: unknown;
  readonly read: unknown;
}

/** Answers requests by a server without accounts and from a snapshot. Requests that the snapshot passes on do not count. */
export async function compareAnswers(
  services: Services,
  requests: Iterable<{ readonly target: string; readonly method?: string; readonly accept?: string }>,
  search?: Manifest['search'],
): Promise<{ readonly answered: number; readonly differences: readonly Difference[] }> {
  const handle = createHandler(services);
  const snapshot = await createTestSnapshot(publishedServices(services), search);
  const differences: Difference[] = [];
  let answered = 0;
  for (const { target, method = 'GET', accept } of requests) {
    const request = () => new Request(ORIGIN + target, { method, ...(accept && { headers: { accept } }) });
    const read = await contentOf(await snapshot.handle(request()));
    if (read === undefined) continue;
    answered++;
    const served = await contentOf(await handle(request()));
    if (JSON.stringify(served) !== JSON.stringify(read)) {
      differences.push({ request: `${method} ${target}`, served, read });
    }
  }
  return { answered, differences };
}

async function contentOf(response: Response | undefined) {
  if (response === undefined) return undefined;
  const { status, headers } = response;
  return { status, headers: [...headers], body: await response.text() };
}
