/** The origin of the built server; known only once the tests run. */
export type Origin = () => string;

/** A server with content of its own, and an `Authorization` of somebody who may write there. */
export interface Writable {
  readonly origin: Origin;
  readonly authorization: () => string;
}

/** What a test reads of an answer. */
export interface Asked {
  readonly status: number;
  readonly type: string | null;
  readonly ids: readonly string[];
  readonly included: readonly string[];
  readonly count: unknown;
  readonly ignored: unknown;
  /** `source.parameter` of each error. */
  readonly parameters: readonly unknown[];
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Asks an address as it is, and tells of the answer what clients read. */
export async function ask(url: string, init: RequestInit = {}): Promise<Asked> {
  const response = await fetch(url, init);
  const text = await response.text();
  const type = response.headers.get('content-type');
  const body = type?.includes('json') ? JSON.parse(text) : text;
  return {
    status: response.status,
    type,
    ids: idsOf(body?.data),
    included: idsOf(body?.included),
    count: body?.meta?.count,
    ignored: body?.meta?.ignored,
    parameters: (body?.errors ?? []).map(
      (error: { source?: { parameter?: string } }) => error.source?.parameter,
    ),
    body,
  };
}

function idsOf(data: unknown): readonly string[] {
  return Array.isArray(data) ? data.map(({ id }) => id) : [];
}
