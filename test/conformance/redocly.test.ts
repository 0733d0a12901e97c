import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';
import { REPOSITORY, run } from '../astro/site.ts';
import { createDemoServices } from '../support/demo.ts';
import { createHandler } from '../support/handler.ts';
import { fetchFrom } from '../support/request.ts';
import { adminApp, staticFiles } from '../support/services.ts';
import { openSignInSite } from '../support/sign-in-site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createMagazine } from '../unit/api/jsonapi/magazine.ts';
import { loadRecordedContent } from './load.ts';

const ADDRESS = '/jsonapi/openapi.json';
const SETTINGS = {
  staticQueries: { latest: '/node/article?sort=-created&page[limit]=3', one: '/node/article/two-bulges' },
};

it('Redocly finds nothing in descriptions', async () => {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(path.join(folder, `${name}.json`), text);
  const demo = await createDemoServices({ settings: SETTINGS, writable: {} });
  const described = [
    ['demo', createHandler(demo), ADMINISTRATOR],
    ['recorded', createHandler(await loadRecordedContent()), ANONYMOUS],
    ['magazine', createHandler(createMagazine()), ANONYMOUS],
    ['empty', createHandler(createMagazine({}, [], [])), ANONYMOUS],
  ] as const;
  for (const [name, handle, actor] of described)
    write(name, await (await fetchFrom(handle, ADDRESS, { actor })).text());
  for (const sessionCookie of ['astro-session', null]) {
    const site = await openSignInSite({ front: { adminApp }, settings: { admin: true, sessionCookie } });
    write(`accounts-${sessionCookie}`, await (await site.request(ADDRESS)).text());
  }
  const files = await staticFiles(await createDemoServices({ settings: SETTINGS }));
  write('files', files.get(ADDRESS.slice(1)) ?? '');

  const { output } = await run(
    process.execPath,
    [path.join(REPOSITORY, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', '*.json'],
    folder,
    { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  );
  expect(output).toContain('Your API descriptions are valid.');
  expect(output).not.toMatch(/warning|error/);
});
