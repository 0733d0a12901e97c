import { watch } from 'chokidar';
import { createSchemaFollower } from '../astro/schema-follower.ts';
import { schemaCandidates } from '../astro/schema-module.ts';
import { routesOf } from '../core/api/features.ts';
import { ADMIN_PATH, EXPLORER_PATH } from '../core/api/paths.ts';
import type { RequestSession } from '../core/api/request.ts';
import { apiRoot } from '../core/read/links.ts';
import {
  ACCOUNTS_FLAG,
  type ContentSite,
  defineCommand,
  SITE_FLAGS,
  type Terminal,
  UsageError,
} from '../core/runtime/command.ts';
import { reportContent } from '../core/runtime/terminal.ts';
import { processParts } from '../core/runtime/tooling.ts';
import { errorMessage } from '../core/util/text.ts';
import { FEATURES } from '../features.ts';
import { type OpenOptions, openContent } from './content.ts';
import { createPublicFiles, listen } from './http-server.ts';
import { createSessions } from './sessions.ts';
import { findSite } from './site.ts';

const DEFAULT_PORT = 4321;

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serve a folder of Markdown as JSON:API, without a site.',
  argument: { name: '[dir]', help: 'The content folder, or its project.' },
  flags: {
    port: {
      value: 'number',
      read: readPort,
      help: `Specify the port. Default: ${DEFAULT_PORT}, or the next free one.`,
    },
    host: {
      value: 'address',
      help: 'Specify the address to listen on. Default: 127.0.0.1, for this machine only.',
    },
    'no-explorer': { help: 'Turn off the query explorer.' },
    write: { help: 'Turn on sign-in, writing and the admin.' },
    ...ACCOUNTS_FLAG,
    ...SITE_FLAGS,
  },
  details: [
    'Responses are the same as those of a built site: visitors see published content only.',
    '',
    'With --write, accounts can change content: those in --accounts, in JSONAPI_ACCOUNTS, or of the site. People sign in to',
    'the admin at /admin. Sessions end when the server stops.',
    '',
    'The command also serves public/ and the images next to the content. Changes of files and of schema.ts apply at',
    "once. Bodies are rendered with the site's Markdown settings, or with Astro's defaults; without Astro they are",
    'plain text in <pre>.',
  ],
  examples: [
    ['npx astro-jsonapi serve', 'Serve the content of this project'],
    ['npx astro-jsonapi serve ~/notes --port 8080', 'Serve a folder of Markdown without a site'],
    ['npx astro-jsonapi serve ~/notes --write --accounts ~/.accounts.json', 'Let accounts change content'],
    ["curl -g 'http://127.0.0.1:4321/jsonapi/node/article?sort=-created&page[limit]=5'", 'Send a request'],
  ],
  async run({ argument, flags, terminal }) {
    const { print, report, paint } = terminal;
    const { port, write, accounts, host = '127.0.0.1' } = flags;
    if (accounts !== undefined && !write) throw new UsageError('--accounts needs --write.');
    const site = await findSite(flags, terminal, argument);
    const explorer = !flags['no-explorer'];
    const accountsFlag = accounts === undefined ? undefined : { written: accounts, cwd: terminal.cwd };
    const content = await openFollowed(site, terminal, { explorer, signIn: write, accountsFlag });
    const { base } = site;
    const { settings } = content.runtime.services;
    const { prefix = '', sessionCookie } = settings;
    const parts = await processParts(FEATURES, { base, prefix });
    const explorerPage = explorer ? parts.explorerPage : undefined;
    const rest = routesOf(FEATURES).find(({ name }) => name === 'rest');
    const sessions = sessionCookie ? createSessions({ cookie: sessionCookie, base }) : undefined;
    const publicFile = createPublicFiles(site.publicDir, base);
    const api = apiRoot(settings);
    const explorerPath = base + prefix + EXPLORER_PATH;
    const home = explorer ? explorerPath : api;

    const server = await listen(
      async (request, context) => {
        const respond = async (session?: RequestSession) => {
          const response =
            (await content.runtime.handle(request, { ...context, session, explorerPage })) ??
            (await publicFile(request));
          if (response !== undefined) return response;
          const { pathname } = new URL(request.url);
          if (pathname !== '/') return notFound(pathname, api);
          return new Response(null, { status: 302, headers: { location: home } });
        };
        return sessions === undefined ? respond() : sessions.follow(request, respond);
      },
      { host, port: port ?? DEFAULT_PORT, isFixed: port !== undefined },
    ).catch(async (error: unknown) => {
      await content.close();
      throw error;
    });

    if (port === undefined && server.port !== DEFAULT_PORT) report(`Port ${DEFAULT_PORT} is in use.`);
    const addresses = [
      ['JSON:API', api],
      ...(rest ? [['Plain JSON', base + prefix + rest.path]] : []),
      ...(explorer ? [['Query explorer', explorerPath]] : []),
      ...(write ? [['Admin', base + ADMIN_PATH]] : []),
    ];
    const lines = addresses.map(
      ([name = '', path]) => `  ${name.padEnd(16)}${paint('place', server.origin + path)}`,
    );
    await content.runtime.announce(server.origin + base, logTo(terminal));
    // Before the line that says that the server runs, because its reader may stop the server at once.
    const stopSignal = receiveStopSignal();
    print(`\nServing ${site.folder}\n\n${lines.join('\n')}\n\n  Press Ctrl-C to stop.\n`);
    await stopSignal;
    await server.close();
    await content.close();
    return 0;
  },
});

/** Opens the content, watches it, and reads it again when the schema changes. A schema that fails to load has no effect. */
export async function openFollowed(
  site: ContentSite,
  terminal: Terminal,
  options: Omit<OpenOptions, 'onChange'>,
) {
  const { report, paintReport } = terminal;
  const runtime = await openContent(site, terminal, {
    ...options,
    ...(options.signIn && { environment: process.env }),
    onChange: () => undefined,
  });
  await reportContent(runtime, site.options, logTo(terminal));
  const watcher = watch([], { ignoreInitial: true });
  const follower = createSchemaFollower({
    watcher,
    candidates: schemaCandidates(site),
    async load() {
      try {
        await runtime.useSchema(await site.schema());
      } catch (error) {
        report(`${paintReport('error', 'error:')} ${errorMessage(error)}`);
      }
    },
  });
  return {
    runtime,
    async close() {
      follower.close();
      await watcher.close();
      await runtime.close();
    },
  };
}

function logTo({ report }: Terminal) {
  return { info: report, warn: report, error: report };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port cannot be \`${text}\`. Valid: a number up to 65535, or 0 for any free port.`);
}

export function receiveStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

function notFound(pathname: string, api: string): Response {
  return new Response(`There is nothing at ${pathname}. The API starts at ${api}.\n`, {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}
