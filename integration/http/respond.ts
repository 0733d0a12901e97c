/** What a route answers, before it is bytes. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer as a response; a HEAD request gets the same headers without the bytes. */
export function respond(method: string, { status, contentType, body, headers }: Answer): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return new Response(method === 'HEAD' ? null : bytes, {
    status,
    headers: {
      ...headers,
      'content-type': contentType,
      'content-length': String(bytes.byteLength),
      // Content is written by others: a browser must not guess that it is a page.
      'x-content-type-options': 'nosniff',
    },
  });
}
