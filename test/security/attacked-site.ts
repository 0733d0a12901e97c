import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Actor } from '../../integration/core/access/actor.ts';
import type { Services } from '../../integration/core/api/request.ts';
import type { SchemaDefinition } from '../../integration/core/content/schema/schema.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import { createHandler } from '../support/handler.ts';
import { createServices, type TestSite } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const ORIGIN = 'https://site.example';
export const EDITOR: Actor = { name: 'ed', roles: ['editor'] };
/** A secret that no response and no content file may contain. */
export const CANARY = 'canary-4f1d';

/** A site on disk, in a folder with other files around it. */
export interface AttackedSite {
  readonly services: Services;
  readonly handle: Handler;
  /** The folder around `content`. */
  readonly root: string;
  /** Sends a request as an editor and reads the response. Throws on a 500. */
  request(method: string, address: string, sent?: TestRequest): Promise<TestResponse>;
  /** Everything in the folder except the content: paths, and the bytes of files. */
  around(): ReadonlyMap<string, string>;
  /** Paths and bytes of the content files, without the lock files of writers. */
  content(): ReadonlyMap<string, string>;
}

export interface TestRequest {
  readonly body?: unknown;
  readonly actor?: Actor;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; undefined for other responses. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape.
  readonly json: any;
}

export async function openAttackedSite(
  files: Readonly<Record<string, string | Uint8Array>>,
  schema?: SchemaDefinition,
  site: TestSite = {},
  prepare: (root: string) => void = () => undefined,
): Promise<AttackedSite> {
  const root = temporaryFolder(files);
  prepare(root);
  const publicFiles = createFsDriver(path.join(root, 'public'));
  const driver = createGitDriver(path.join(root, 'content'));
  const services = await createServices(driver, schema, { writable: {}, publicFiles, ...site });
  const handle = createHandler(services);
  const filesBelow = createFileReader(root);
  return {
    services,
    handle,
    root,
    request: (method, address, sent) => ask(handle, method, address, sent),
    around: () => filesBelow('', (name) => name !== 'content'),
    content: () => filesBelow('content', (name) => !name.startsWith('.astro-jsonapi-lock')),
  };
}

/** The body: text or bytes as they are, anything else as JSON. */
export async function ask(
  handle: Handler,
  method: string,
  address: string,
  { body, actor = EDITOR, headers = {} }: TestRequest = {},
): Promise<TestResponse> {
  const type = address.startsWith('/jsonapi') ? 'application/vnd.api+json' : 'application/json';
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const request = new Request(ORIGIN + address, {
    method,
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as BodyInit }),
  });
  const response = await handle(request, { actor });
  if (response === undefined) return { status: 404, headers: new Headers(), text: '', json: undefined };
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${method} ${address}: ${response.status} ${text}`);
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** A resource object of an article. */
export function article(attributes: object, more: object = {}): object {
  return { data: { type: 'node--article', attributes, ...more } };
}

/** Reads all files below a folder. Does not follow links, and reads only files that changed since the last call. */
function createFileReader(root: string) {
  const texts = new Map<string, { readonly stamp: string; readonly text: string }>();
  function read(file: string): string {
    const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    const stamp = [ino, size, mtimeNs, ctimeNs].join(' ');
    const last = texts.get(file);
    if (last?.stamp === stamp) return last.text;
    const text = readFileSync(file, 'latin1');
    texts.set(file, { stamp, text });
    return text;
  }
  return (folder: string, isWanted: (name: string) => boolean): ReadonlyMap<string, string> => {
    const files = new Map<string, string>();
    const visit = (below: string): void => {
      for (const entry of readdirSync(path.join(root, folder, below), { withFileTypes: true })) {
        const name = below === '' ? entry.name : `${below}/${entry.name}`;
        if (!isWanted(name)) continue;
        if (entry.isDirectory()) visit(name);
        files.set(name, entry.isFile() ? read(path.join(root, folder, name)) : 'no file');
      }
    };
    visit('');
    expect(files.size).toBeGreaterThan(0);
    return files;
  };
}
