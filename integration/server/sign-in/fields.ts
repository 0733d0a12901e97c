import { z } from 'zod';
import type { Auth } from '../../accounts/open-auth.ts';
import type { SignInPath } from '../../api/sign-in-paths.ts';
import type { ApiSettings } from '../../read/settings.ts';
import { ApiError } from '../../util/errors.ts';
import type { CorsRules } from '../cors.ts';
import type { HandlerContext } from '../handler.ts';
import type { SignInPage } from './page.ts';

/** The fields of a form, or of a JSON object, by name; those that are no texts are left out. */
export type SentFields = ReadonlyMap<string, string>;

/**
 * Reads what was sent as JSON, whatever it says it is, or as the form of a page. Throws a 400, 413 or 415 where it
 * is neither; nothing at all is no fields.
 */
export async function readFields(request: Request, form: 'json' | 'html'): Promise<SentFields> {
  const body = await readText(request, MAX_BYTES);
  if (body === '') return new Map();
  if (form === 'json') return readObject(body);
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded') return new Map(new URLSearchParams(body));
  throw new ApiError({
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'Send a form as application/x-www-form-urlencoded, or JSON to ?_format=json.',
    source: { header: 'Content-Type' },
  });
}

/** Throws a 413 as soon as there is more than that many bytes. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      const detail = `A body may have ${maxBytes} bytes here.`;
      throw new ApiError({ status: 413, title: 'Content Too Large', detail });
    }
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}

/** Names, passwords and addresses to go to are short. */
export const MAX_BYTES = 16_384;

function readObject(body: string): SentFields {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (cause) {
    throw badRequest('The body is not JSON.', cause);
  }
  const { data } = z.record(z.string(), z.unknown()).safeParse(json);
  if (data === undefined) throw badRequest('The body is no JSON object: { "name": "…", "pass": "…" }.');
  return new Map(
    Object.entries(data).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function badRequest(detail: string, cause?: unknown): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail, cause });
}

/** What is answered: data as JSON, a text, a page, or another address to go to (303). */
export type SignInAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly kind: 'json'; readonly data: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'page'; readonly page: SignInPage }
  | { readonly kind: 'empty' }
  /** A path of this site. */
  | { readonly kind: 'redirect'; readonly to: string }
);

/** One request to sign in or out, or about it. */
export interface SignInRequest extends SignInDeps {
  readonly request: Request;
  readonly context: HandlerContext;
  readonly query: URLSearchParams;
  /** The address of a path of ours, as links have it. */
  place(path: SignInPath): string;
}

export interface SignInDeps {
  readonly auth: Auth;
  readonly settings: Pick<ApiSettings, 'base' | 'trailingSlash'>;
  /** Paths at which the site has pages of its own. */
  readonly ownPages: readonly string[];
  /** Why nobody can sign in by the form of a server that keeps no sessions, and what to do instead. */
  readonly withoutSessions: string;
  /** Whose pages may sign in from elsewhere. */
  readonly cors: CorsRules | false;
}
