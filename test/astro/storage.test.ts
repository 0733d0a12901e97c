import { createHmac } from 'node:crypto';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccounts } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { createForgeHost, type ForgeHost, NAME, TOKEN } from '../support/forge-host.ts';
import { png } from '../support/pictures.ts';
import { build, copySite, emptySite, type ServedProcess, type Site, serve } from './site.ts';

const COVER = Buffer.from(png(64, 48));
/** The files of the site in their repository, whose project is not at its top. */
const FOLDER = 'site/content';

let site: Site;
let host: ForgeHost;
let closeHost: () => Promise<void>;
let url: string;
let accounts: string;
let token: string;

beforeAll(async () => {
  const project = copySite('written', 'storage-project');
  writeFileSync(project.file('content/article/cover.png'), COVER);
  writeFileSync(
    project.file('content/article/sea.md'),
    '---\ntitle: The sea\nfield_cover: { src: cover.png, alt: A cover }\n---\n',
  );
  const files = globSync('content/**/*.*', { cwd: project.dir });
  host = createForgeHost(
    'forgejo',
    Object.fromEntries(files.map((file) => [`site/${file}`, readFileSync(project.file(file))])),
  );
  ({ url, close: closeHost } = await host.listen());
  const storage = { forge: 'forgejo', repository: NAME, url, folder: FOLDER };
  const environment = {
    FORGEJO_TOKEN: TOKEN,
    JSONAPI_OPTIONS: JSON.stringify({ storage, gitHookSecret: 'env:HOOK' }),
  };
  await build(project, environment);
  site = emptySite('storage');
  cpSync(project.file('dist'), site.file('dist'), { recursive: true });
  project.remove();
  const file = site.file('accounts.json');
  ({ jane: token } = await addAccounts(file, { jane: { roles: ['editor'], mail: 'jane@example.org' } }));
  accounts = readFileSync(file, 'utf8');
  rmSync(file);
});
afterAll(async () => {
  await closeHost?.();
  site?.remove();
});

const open = (environment: Readonly<Record<string, string>> = { FORGEJO_TOKEN: TOKEN }) =>
  serve(site, { JSONAPI_ACCOUNTS_JSON: accounts, ...environment });

const retitle = ({ origin }: ServedProcess, title: string) =>
  fetch(`${origin}/api/content/articles/moon`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });

const titleOf = async ({ origin }: ServedProcess) =>
  (await (await fetch(`${origin}/api/content/articles/moon`)).json()).data.title;

describe('a built server with option storage, which has only its build', () => {
  it('starts with few requests, and commits each change as its account', async () => {
    host.requests.length = 0;
    const server = await open();
    try {
      expect(await titleOf(server)).toBe('The moon');
      const image = await fetch(`${server.origin}/content-files/article/cover.png`);
      expect(Buffer.from(await image.arrayBuffer()).equals(COVER)).toBe(true);
      expect(host.requests.filter((request) => /raw|commits/.test(request))).toEqual([]);
      expect((await retitle(server, 'New moon')).status).toBe(201);
      expect(await titleOf(server)).toBe('New moon');
    } finally {
      await server.stop();
    }
    expect(host.read(`${FOLDER}/article/moon.md`)).toContain('title: New moon # by heart');
    expect(host.git('log', '-1', '--format=%an <%ae> %s')).toBe(
      'jane <jane@example.org> Update article "New moon"',
    );
    expect(server.output()).not.toContain(TOKEN);
  });

  it('loses no acknowledged change when it is killed', async () => {
    let acknowledged = '';
    for (let round = 1; round <= 3; round++) {
      const server = await open();
      const first = await retitle(server, `Moon ${round}`);
      if (first.status === 201) acknowledged = `Moon ${round}`;
      const second = retitle(server, `Moon ${round} again`).then(
        ({ status }) => status === 201,
        () => false,
      );
      await server.kill();
      if (await second) acknowledged = `Moon ${round} again`;
      expect([acknowledged, `Moon ${round} again`].map((title) => `title: ${title} # by heart`)).toContain(
        /^title: .*$/m.exec(host.read(`${FOLDER}/article/moon.md`) ?? '')?.[0],
      );
    }
    expect(host.git('fsck', '--strict')).toBe('');
  });

  it('answers from its build while the host is down, and takes over the branch later', async () => {
    host.before = () => new Response('', { status: 503 });
    const server = await open();
    try {
      expect(await titleOf(server)).toBe('The moon');
      const refused = await retitle(server, 'Full moon');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      host.before = undefined;
      await eventually(async () => expect((await retitle(server, 'Full moon')).status).toBe(201));
      expect(host.read(`${FOLDER}/article/moon.md`)).toContain('title: Full moon');
    } finally {
      host.before = undefined;
      await server.stop();
    }
  });

  it('has no token in its build, and says that it cannot write without one', async () => {
    for (const file of globSync('dist/**/*.*', { cwd: site.dir })) {
      expect(readFileSync(site.file(file), 'utf8'), file).not.toContain(TOKEN);
    }
    const server = await open({});
    try {
      expect((await retitle(server, 'No moon')).status).toBe(405);
      expect(server.output()).toContain(
        'Content is read-only: the environment variable FORGEJO_TOKEN is not set.',
      );
    } finally {
      await server.stop();
    }
  });

  it('sees a push at once when the git host calls its webhook', async () => {
    const server = await open({ FORGEJO_TOKEN: TOKEN, HOOK: 'a secret' });
    try {
      const commit = host.commit({ [`${FOLDER}/article/moon.md`]: '---\ntitle: The moon\n---\nPushed.\n' });
      const body = JSON.stringify({ ref: 'refs/heads/main' });
      const signature = createHmac('sha256', 'a secret').update(body).digest('hex');
      const hook = (headers: Readonly<Record<string, string>>) =>
        fetch(`${server.origin}/jsonapi/hooks/git`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        });
      expect((await hook({})).status).toBe(401);
      expect((await hook({ 'x-forgejo-signature': signature })).status).toBe(202);
      await eventually(async () => {
        const { headers } = await fetch(`${server.origin}/api/content/articles/moon`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect(headers.get('content-commit')).toBe(commit);
      });
    } finally {
      await server.stop();
    }
  });
});
