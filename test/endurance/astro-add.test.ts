import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyProject, pack, writeFiles } from '../astro/packed.ts';
import { REPOSITORY, runAstro, type Site } from '../astro/site.ts';

let site: Site;

beforeAll(() => {
  site = emptyProject();
  writeFiles(site, {
    'package.json': '{ "name": "project", "type": "module", "private": true }',
    // Astro installs with npm if it finds the lock file of npm.
    'package-lock.json': '{ "name": "project", "lockfileVersion": 3, "packages": {} }',
    'astro.config.mjs': 'export default {};\n',
  });
});
afterAll(() => site?.remove());

it('`astro add astro-jsonapi` installs the package and adds it to the config', async () => {
  const { filename } = await pack(site.dir);
  const registry = await serveRegistry(readFileSync(site.file(filename)));
  try {
    const { code, output } = await runAstro(site, ['add', 'astro-jsonapi', '--yes'], {
      npm_config_registry: registry.origin,
      npm_config_cache: site.file('.npm'),
      npm_config_audit: 'false',
    });
    expect(code, output).toBe(0);
    expect(readFileSync(site.file('astro.config.mjs'), 'utf8')).toMatch(
      /import jsonapi from ["']astro-jsonapi["'];[\s\S]*integrations: \[jsonapi\(\)\]/,
    );
    expect(readFileSync(site.file('node_modules/astro-jsonapi/dist/index.js'), 'utf8')).toContain('export');
    expect(JSON.parse(readFileSync(site.file('package.json'), 'utf8')).dependencies).toEqual({
      'astro-jsonapi': `^${own.version}`,
    });
  } finally {
    await registry.stop();
  }
});

const own = JSON.parse(readFileSync(`${REPOSITORY}/package.json`, 'utf8'));

/** A registry with this package only, without its dependencies, so that the test needs no network. */
async function serveRegistry(tarball: Buffer) {
  const { dependencies: _, devDependencies: __, peerDependencies: ___, scripts: ____, ...manifest } = own;
  const server = createServer((request, response) => {
    const dist = { tarball: `http://${request.headers.host}/astro-jsonapi.tgz` };
    const version = { ...manifest, dist };
    const answers: Readonly<Record<string, unknown>> = {
      '/astro-jsonapi': {
        name: own.name,
        'dist-tags': { latest: own.version },
        versions: { [own.version]: version },
      },
      '/astro-jsonapi/latest': version,
    };
    const answer = answers[request.url ?? ''];
    if (request.url === '/astro-jsonapi.tgz') response.end(tarball);
    else response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
