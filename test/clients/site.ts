import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, copySite, type Served, serve } from '../astro/site.ts';
import { addAccounts } from '../support/accounts.ts';
import { contentFiles } from './content.ts';

export interface ClientSite extends Served {
  /** A folder from which the installed clients can be imported. */
  readonly dir: string;
  /** The same site with its own content, which clients may change. */
  readonly writable: Served;
  /** The token of the editor. */
  readonly token: string;
}

/** The account that may write. */
export const EDITOR = { username: 'jane', password: 'correct horse' } as const;

/** Builds and serves the site for all clients. */
export async function serveClientSite(): Promise<ClientSite> {
  const site = copySite('clients', 'clients');
  for (const [name, text] of Object.entries(contentFiles())) {
    const file = site.file('content', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  await build(site);
  const { username, password } = EDITOR;
  const { [username]: token } = await addAccounts(site.file('private/accounts.json'), {
    [username]: { roles: ['editor'], password },
  });
  cpSync(site.file('content'), site.file('writable'), { recursive: true });
  const [server, writable] = await Promise.all([
    serve(site),
    serve(site, {
      JSONAPI_CONTENT_DIR: site.file('writable'),
      JSONAPI_ACCOUNTS: site.file('private/accounts.json'),
    }),
  ]);
  return {
    ...server,
    dir: site.dir,
    writable,
    token,
    async stop() {
      await Promise.all([server.stop(), writable.stop()]);
      site.remove();
    },
  };
}
