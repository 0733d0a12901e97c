import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, copySite, type Served, serve } from '../astro/site.ts';
import { contentFiles } from './content.ts';

export interface ClientSite extends Served {
  /** A folder from which the installed clients can be imported. */
  readonly dir: string;
}

/** Builds the site that every client is tried on, and serves it. */
export async function serveClientSite(): Promise<ClientSite> {
  const site = copySite('clients', 'clients');
  for (const [name, text] of Object.entries(contentFiles())) {
    const file = site.file('content', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  await build(site);
  const server = await serve(site);
  return {
    ...server,
    dir: site.dir,
    async stop() {
      await server.stop();
      site.remove();
    },
  };
}
