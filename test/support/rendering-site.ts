import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build, copySite, type Served, type Site } from '../astro/site.ts';
import { addAccounts } from './accounts.ts';

/** A built site whose processor misbehaves on request in a body, and accounts that may write. */
export interface RenderingSite {
  readonly site: Site;
  /** Writes a body over HTTP, as an account with one role. */
  write(server: Served, body: string, role?: Role): Promise<{ status: number; detail: string }>;
  /** Sends a file for the image field of a new article, as an editor. */
  upload(server: Served, name: string, bytes: Uint8Array): Promise<{ status: number; detail: string }>;
  /** The HTML of a body over HTTP. */
  read(server: Served, id?: string): Promise<{ status: number; html: string }>;
}

export type Role = 'editor' | 'administrator';

const PROCESSOR = `
import { satteri } from '@astrojs/markdown-satteri';
const own = satteri();
export default {
  ...own,
  async createRenderer(shared) {
    const renderer = await own.createRenderer(shared);
    return {
      async render(text, options) {
        if (text.includes('LOOP')) for (;;);
        if (text.includes('EXIT')) process.exit(7);
        if (text.includes('THROW')) throw new Error('a plugin failed');
        if (text.includes('HEAP')) for (const all = []; ; ) all.push(new Array(100_000).fill(1.5));
        if (text.includes('NATIVE')) return renderer.render('"a" '.repeat(11_000), options);
        if (text.includes('SECRET')) return { code: String(process.env.SECRET) };
        if (text.includes('PID')) return { code: String(process.pid) };
        return renderer.render(text, options);
      },
    };
  },
};
`;

const SCHEMA = `
import { defineSchema, image } from 'astro-jsonapi/schema';
export default defineSchema({ article: { field_cover: image().nullish() } });
`;

const CONFIG = `
import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: process.env.NODE_MODE ?? 'standalone' }),
  devToolbar: { enabled: false },
  integrations: [jsonapi({ markdownProcessor: './processor.mjs', editing: true })],
});
`;

export async function createRenderingSite(name: string): Promise<RenderingSite> {
  const site = copySite('marked', name);
  writeFileSync(site.file('processor.mjs'), PROCESSOR);
  writeFileSync(site.file('astro.config.mjs'), CONFIG);
  writeFileSync(site.file('content/schema.ts'), SCHEMA);
  const tokens = await addAccounts(site.file('.astro-jsonapi/accounts.json'), {
    editor: { roles: ['editor'] },
    administrator: { roles: ['administrator'] },
  });
  await build(site);
  return {
    site,
    async write({ origin }, body, role = 'editor') {
      const response = await fetch(`${origin}/api/content/articles/text`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${tokens[role]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ body }),
      });
      return { status: response.status, detail: await response.text() };
    },
    async upload({ origin }, name, bytes) {
      const response = await fetch(`${origin}/api/content/articles/field_cover`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens.editor}`,
          'content-type': 'application/octet-stream',
          'content-disposition': `file; filename="${name}"`,
        },
        body: new Uint8Array(bytes),
      });
      return { status: response.status, detail: await response.text() };
    },
    async read({ origin }, id = 'text') {
      const response = await fetch(`${origin}/api/content/article/${id}`);
      const answer = (await response.json()) as { data?: { body: { processed: string } } };
      return { status: response.status, html: answer.data?.body.processed ?? '' };
    },
  };
}

/** Process ids of the children of a process. Linux only. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Bytes of memory that a process holds. */
export function memoryOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

/** CPU time of a process in milliseconds. Linux only. */
export function computedBy(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

/** False for a process that has ended, even if its parent has not asked how. Linux only. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
