import { afterEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../integration/core/access/actor.ts';
import { createRuntime } from '../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../integration/core/runtime/runtime.ts';
import type { Feature } from '../../integration/core/runtime/site.ts';
import { openSharedState } from '../../integration/features/postgres/shared-state.ts';
import { FEATURES } from '../../integration/features.ts';
import { defineSchema } from '../../integration/schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { parseOptions } from '../support/options.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { fetchFrom, ORIGIN } from '../support/request.ts';
import { TEST_SETTINGS } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ADA: Actor = { name: 'ada', roles: ['authenticated', 'editor'] };
const SECRET = '---\ntitle: Not yet\nstatus: false\npath: /secret\n---\n';
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.skipIf(!HAS_POSTGRES)('links of two servers with one database', () => {
  const postgres = usePostgres();
  const open: Runtime[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  /** Starts a server with a disk of its own. */
  async function start(schema: string, now = Date.now): Promise<Runtime> {
    const shared: Feature = {
      name: 'shared',
      openShared: async () => openSharedState({ url: () => postgres().url, schema, log }),
      open: async () => ({
        members: { find: async (name) => ({ name, roles: ADA.roles }), list: async () => [] },
      }),
    };
    const runtime = await createRuntime(
      {
        driver: createMemoryDriver({ 'article/secret.md': SECRET }),
        schema: defineSchema({ article: {} }),
      },
      {
        features: [shared, ...FEATURES],
        options: parseOptions({ editing: true }),
        settings: { ...TEST_SETTINGS, root: temporaryFolder(), readOnly: false, admin: true },
        renderBody: async () => '',
        now,
        log,
      },
    );
    open.push(runtime);
    return runtime;
  }

  async function share({ handle }: Runtime) {
    const resource = { type: 'node--article', id: 'secret' };
    const body = { data: { type: 'share', attributes: { resource } } };
    const response = await fetchFrom(handle, '/jsonapi/_shares', { method: 'POST', actor: ADA, body });
    expect(response.status).toBe(201);
    const { data } = await response.json();
    return data as {
      readonly id: string;
      readonly attributes: { readonly url: string; readonly expires: string };
    };
  }

  /** The page of a link; undefined if the link does not work. */
  async function visit(runtime: Runtime, url: string) {
    const openPage = async () => async () => {
      const titles = (await runtime.content.entities('article').all()).map(({ title }) => title);
      return new Response(`<p>${titles}</p>`, { headers: { 'content-type': 'text/html' } });
    };
    return (await runtime.handle(new Request(new URL(url, ORIGIN)), { openPage }))?.text();
  }

  it('work on both, and stop on both as soon as one of them revokes them', async () => {
    const [one, other] = [await start('links'), await start('links')];
    const { id, attributes } = await share(one);
    expect(await visit(one, attributes.url)).toContain('Not yet');
    expect(await visit(other, attributes.url)).toContain('Not yet');
    const address = `/jsonapi/_shares/${id}`;
    expect((await fetchFrom(other.handle, address, { method: 'DELETE', actor: ADA })).status).toBe(204);
    expect(await visit(one, attributes.url)).toBeUndefined();
    expect(await visit(other, attributes.url)).toBeUndefined();
  });

  it('end at the same moment on both', async () => {
    let time = Date.now();
    const servers = [await start('ends', () => time), await start('ends', () => time)];
    const { attributes } = await share(servers[0]!);
    const seen = () => Promise.all(servers.map((each) => visit(each, attributes.url)));
    const end = Date.parse(attributes.expires);
    time = end - 1;
    expect(await seen()).toEqual([expect.stringContaining('Not yet'), expect.stringContaining('Not yet')]);
    time = end;
    expect(await seen()).toEqual([undefined, undefined]);
  });

  it('are all kept if both make some at the same moment, the first of all included', async () => {
    const servers = [await start('many'), await start('many')];
    const links = await Promise.all(Array.from({ length: 10 }, (_, at) => share(servers[at % 2]!)));
    for (const [at, { attributes }] of links.entries()) {
      expect(await visit(servers[(at + 1) % 2]!, attributes.url)).toContain('Not yet');
    }
  });
});
