import { watch } from 'chokidar';
import { accountsPathFromFlag } from '../accounts/accounts-path.ts';
import { EXPLORER_PATH } from '../api/routes.ts';
import { schemaCandidates } from '../astro/schema-module.ts';
import { adminPage } from '../runtime/admin-page.ts';
import { announceSetup, reportContent } from '../runtime/terminal.ts';
import { errorMessage } from '../util/text.ts';
import { type Command, type CommandInput, SITE_FLAGS, type Terminal, UsageError } from './command.ts';
import { type FoundSite, findSite } from './find-site.ts';
import { listen } from './http-server.ts';
import { type ContentOptions, openContent } from './open-content.ts';
import { createPublicFiles } from './public-files.ts';
import { ACCOUNTS_FLAG, siteAccountsFile } from './site-accounts.ts';

const DEFAULT_PORT = 4321;

export const serve: Command = {
  name: 'serve',
  summary: 'Answers JSON:API about a folder of markdown, with no site at all.',
  argument: { name: '[dir]', help: 'The content folder, or the project it belongs to.' },
  flags: {
    port: { value: 'number', help: `The port; without it ${DEFAULT_PORT}, or the next that is free.` },
    host: { value: 'address', help: 'The address to listen on; without it 127.0.0.1, this machine alone.' },
    'no-explorer': { help: 'Serve no query explorer.' },
    write: { help: 'Let accounts sign in, by HTTP Basic and tokens, and change content.' },
    ...ACCOUNTS_FLAG,
    ...SITE_FLAGS,
  },
  details: [
    'The answers are those of a built site: visitors see what is published. Nothing can be written, unless --write lets',
    'accounts do so: those of the site, of JSONAPI_ACCOUNTS or of --accounts. There are no sessions.',
    'Files of public/ beside the content folder are served too, and images beside the content below /content-files.',
    'Changes of files, and of schema.ts, show at once. Bodies become HTML by the markdown settings of the site,',
    'without a site by the default ones of Astro; where there is no Astro they stay text, in <pre>.',
  ],
  examples: [
    ['npx astro-jsonapi serve', 'Serve the content of this project'],
    ['npx astro-jsonapi serve ~/notes --port 8080', 'Serve a folder of markdown that is no site'],
    ['npx astro-jsonapi serve ~/notes --write --accounts ~/.accounts.json', 'Let accounts change it'],
    ["curl -g 'http://127.0.0.1:4321/jsonapi/node/article?sort=-created&page[limit]=5'", 'Ask it'],
  ],
  async run(input) {
    const { values, switches, terminal } = input;
    const { print, say, paint } = terminal;
    const port = readPort(values.port);
    const site = await findSite(input);
    const explorer = !switches.has('no-explorer');
    const accountsFile = accountsOf(input, site);
    const content = await follow(site, terminal, { explorer, accountsFile });
    const { base } = site;
    const page = explorer ? adminPage({ base, mode: 'server' }) : undefined;
    const pages = page === undefined ? {} : { explorerPage: () => page };
    const publicFile = createPublicFiles(site.publicDir, base);
    const home = explorer ? base + EXPLORER_PATH : `${base}/jsonapi`;

    const server = await listen(
      async (request, context) => {
        const answer = await content.runtime.handle(request, { ...context, ...pages });
        if (answer !== undefined) return answer;
        const file = await publicFile(request);
        if (file !== undefined) return file;
        const { pathname } = new URL(request.url);
        return pathname === '/' ? redirect(home) : nothing(pathname, `${base}/jsonapi`);
      },
      { host: values.host ?? '127.0.0.1', port: port ?? DEFAULT_PORT, exactly: port !== undefined },
    ).catch(async (error: unknown) => {
      await content.close();
      throw error;
    });

    if (port === undefined && server.port !== DEFAULT_PORT) say(`Port ${DEFAULT_PORT} is taken.`);
    const places = [
      ['JSON:API', `${base}/jsonapi`],
      ['Plain JSON', `${base}/api/content`],
      ...(explorer ? [['Query explorer', base + EXPLORER_PATH]] : []),
    ];
    const lines = places.map(
      ([name = '', place]) => `  ${name.padEnd(16)}${paint('place', server.origin + place)}`,
    );
    const log = { info: say, warn: say, error: say };
    await announceSetup(content.runtime.auth, site, server.origin + base, log);
    // Whoever reads that it serves may end it at once.
    const end = stopped();
    print(`\nServing ${site.folder}\n\n${lines.join('\n')}\n\n  Ctrl-C stops the server.\n`);
    await end;
    await server.close();
    await content.close();
    return 0;
  },
};

/** Opens the content, and reads it again when the schema changes. A schema that cannot be loaded changes nothing. */
async function follow(
  site: FoundSite,
  terminal: Terminal,
  options: Pick<ContentOptions, 'explorer' | 'accountsFile'>,
) {
  const { say, paintSaid } = terminal;
  const runtime = await openContent(site, terminal, { ...options, keep: true, onChange: () => undefined });
  const log = { info: say, warn: say, error: say };
  await reportContent(runtime, site.options, log);

  let queue: Promise<void> = Promise.resolve();
  async function reload(): Promise<void> {
    try {
      await runtime.useSchema(await site.schema());
    } catch (error) {
      say(`${paintSaid('error', 'error:')} ${errorMessage(error)}`);
    }
  }
  const watcher = watch([...schemaCandidates(site.contentDir)], { ignoreInitial: true });
  watcher.on('all', () => {
    queue = queue.then(reload);
  });
  return {
    runtime,
    async close() {
      await watcher.close();
      await queue;
      await runtime.close();
      await runtime.saved();
    },
  };
}

/** Of those who may write; undefined where nobody may. */
function accountsOf({ switches, values, terminal }: CommandInput, site: FoundSite): string | undefined {
  if (switches.has('write'))
    return values.accounts === undefined
      ? siteAccountsFile(site)
      : accountsPathFromFlag(values.accounts, terminal.cwd, site);
  if (values.accounts === undefined) return undefined;
  throw new UsageError('--accounts says who may write: add --write, or leave it out.');
}

function readPort(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const port = Number(written);
  if (/^\d{1,5}$/.test(written) && port <= 65_535) return port;
  throw new UsageError(
    `--port cannot be \`${written}\`. Valid: a number up to 65535, 0 for any that is free.`,
  );
}

function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}

function nothing(pathname: string, entry: string): Response {
  return new Response(`There is nothing at ${pathname}. The API begins at ${entry}.\n`, {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
