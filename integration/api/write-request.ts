import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Written } from '../read/compose.ts';
import type { ContentWriter, Preconditions, Writer } from '../write/writer.ts';
import type { Services } from './services.ts';

/** What a request that changes content says. */
export interface WriteRequest {
  readonly services: Services;
  readonly writer: ContentWriter;
  readonly actor: Actor;
  readonly access: Access;
  readonly origin: string;
  readonly method: string;
  /** Of the route, such as `/v1/api/content`. */
  readonly prefix: string;
  /** What follows the prefix, still encoded. */
  readonly rest: string;
  readonly query: string;
  readonly headers: Headers;
  readonly hasBody: boolean;
  body(limit: 'bodyBytes'): Promise<string>;
  bytes(limit: 'uploadBytes'): Promise<Uint8Array>;
}

/** What is answered to a change; `written` is null for an answer without a body. */
export interface WriteAnswer {
  readonly status: 200 | 201 | 202 | 204;
  readonly written: Written | null;
  /** Under which it is being committed, where the answer is to say so. */
  readonly job?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export function noContent({ job }: { readonly job?: string | undefined }): WriteAnswer {
  return { status: 204, written: null, job };
}

export function who({ actor, access }: WriteRequest): Writer {
  return { actor, access };
}

export function preconditionsOf({ headers }: WriteRequest): Preconditions {
  return { ifMatch: headers.get('if-match'), ifNoneMatch: headers.get('if-none-match') };
}
