import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ATOMIC_MEDIA_TYPE } from '../../integration/core/read/document-types.ts';
import { addAccounts } from '../support/accounts.ts';
import { build, emptySite, type Served, type Site, serve, serveDev } from './site.ts';

/** The server of a site with previews. */
export type PreviewedKind = 'astro dev' | 'a built server';

export interface Preview {
  readonly status: number;
  readonly page: {
    url: string;
    status: number;
    html?: string;
    text?: string;
    message?: string;
    location?: string;
    queries: number;
    collections?: readonly string[];
  };
  readonly errors: readonly { detail: string; code?: string; source: object; meta?: object }[];
}

export interface PreviewedSite {
  readonly site: Site;
  readonly server: Served;
  /** Headers of an account that may change content. */
  readonly editor: Readonly<Record<string, string>>;
  /** Previews operations at a path, by default on the page of the first entity. */
  preview(
    operations: readonly object[],
    at?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Preview>;
  /** The page that visitors see. */
  published(at: string): Promise<string>;
  save(type: string, id: string, attributes: object): Promise<Response>;
  stop(): Promise<void>;
}

export function writeFiles({ file }: Site, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(file(name)), { recursive: true });
    writeFileSync(file(name), content);
  }
}

/** The operation that changes an entity. */
export const update = (id: string, attributes: object, type = 'node--post', relationships?: object) => ({
  op: 'update',
  data: { type, id, attributes, ...(relationships && { relationships }) },
});

/** Writes a site, and serves it with an account, which has these roles on a built server. */
export async function servePreviewed(
  name: string,
  kind: PreviewedKind,
  files: Readonly<Record<string, string | Uint8Array>>,
  roles: readonly string[] = ['editor'],
): Promise<PreviewedSite> {
  const site = emptySite(`${name}-${kind.replaceAll(' ', '-')}`);
  writeFiles(site, files);
  return openPreviewed(site, kind, roles);
}

/** Serves a site, which it removes at the end. */
export async function openPreviewed(
  site: Site,
  kind: PreviewedKind,
  roles: readonly string[] = ['editor'],
  buildSite: (site: Site) => Promise<unknown> = build,
): Promise<PreviewedSite> {
  const served = kind === 'astro dev' ? await serveInDev(site) : await serveBuilt(site, roles, buildSite);
  const { server, editor }: Pick<PreviewedSite, 'server' | 'editor'> = served;
  const jsonApi = (below: string, method: string, type: string, body: object, headers = editor) =>
    fetch(`${server.origin}/jsonapi${below}`, {
      method,
      headers: { 'content-type': type, origin: server.origin, ...headers },
      body: JSON.stringify(body),
    });
  return {
    site,
    server,
    editor,
    async preview(operations, at, headers = editor) {
      const query = at === undefined ? '' : `?path=${encodeURIComponent(at)}`;
      const document = { 'atomic:operations': operations };
      const response = await jsonApi(`/_preview${query}`, 'POST', ATOMIC_MEDIA_TYPE, document, headers);
      const { meta, errors } = await response.json();
      return { status: response.status, page: meta?.page, errors };
    },
    published: async (at) => (await fetch(server.origin + at)).text(),
    save: (type, id, attributes) =>
      jsonApi(`/${type.replace('--', '/')}/${id}`, 'PATCH', 'application/vnd.api+json', {
        data: { type, id, attributes },
      }),
    async stop() {
      await server.stop();
      site.remove();
    },
  };
}

async function serveInDev(site: Site) {
  const server = await serveDev(site);
  const page = await fetch(`${server.origin}/admin`);
  return { server, editor: { cookie: (page.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' } };
}

async function serveBuilt(site: Site, roles: readonly string[], buildSite: (site: Site) => Promise<unknown>) {
  await buildSite(site);
  const file = site.file('accounts.json');
  const { eddi } = await addAccounts(file, { eddi: { roles: [...roles] } });
  const server = await serve(site, { JSONAPI_ACCOUNTS_JSON: readFileSync(file, 'utf8') });
  return { server, editor: { authorization: `Bearer ${eddi}` } };
}
