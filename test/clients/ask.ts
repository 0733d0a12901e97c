/** The origin of the built server, available once the tests run. */
export type Origin = () => string;

/** A server with its own content, and an `Authorization` header of an account that may write there. */
export interface Writable {
  readonly origin: Origin;
  readonly authorization: () => string;
}

/** The parts of a response that tests compare. */
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

/** Requests a URL as it is, and returns the parts of the response that clients read. */
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
