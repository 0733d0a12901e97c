import { Writable } from 'node:stream';
import { actorOf } from '../../core/access/members.ts';
import type { SiteFlags } from '../../core/runtime/command.ts';
import { CommandError, type CommandInput, defineCommand, SITE_FLAGS } from '../../core/runtime/command.ts';
import { openLocalMode } from '../../core/runtime/open-local-mode.ts';
import { loadMcpSdk } from './load-mcp-sdk.ts';
import { createMcpServer } from './tools.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Give AI agents tools for the content (Model Context Protocol).',
  argument: { name: '[dir]', help: 'The content folder, or its project.' },
  flags: {
    write: { help: 'Let agents change content.' },
    account: {
      value: 'name',
      help: 'Give agents the permissions of an account. Default: yours, so agents see and change everything.',
    },
    ...SITE_FLAGS,
  },
  details: [
    'An agent starts this command and talks to it over standard input and output. Messages for people go to the standard',
    'error. Changes apply to the files at once, and are committed if option editing.git is set.',
    '',
    'The command needs a package that is not installed with this one: npm install @modelcontextprotocol/sdk',
  ],
  examples: [
    ['npx astro-jsonapi mcp', 'Let an agent read the content of this project'],
    ['npx astro-jsonapi mcp --write --account robot', 'Let it change what the account robot may change'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const sdk = await loadMcpSdk();
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    return withStandardOutput(async (output) => {
      const { site, runtime, actor, close } = await openFor(flags, { terminal, cli }, argument);
      const { writer, settings } = runtime.services;
      const { prefix = '' } = settings;
      const server = createMcpServer(sdk, {
        async send(path, init) {
          const request = new Request(`http://localhost${site.base}${prefix}${path}`, init);
          const response = await runtime.handle(request, { actor });
          if (response === undefined) throw new Error(`No route serves ${path}.`);
          return response;
        },
        writes: writer !== null,
        site: settings.site,
      });
      const isClosed = new Promise<void>((resolve) => {
        process.stdin.once('end', resolve);
        server.server.onclose = resolve;
      });
      const stopSignal = cli.receiveStopSignal();
      await server.connect(new StdioServerTransport(process.stdin, output));
      terminal.report(`Tools for ${site.folder}, as ${actor.name}${writer === null ? ', read-only' : ''}.`);
      await Promise.race([isClosed, stopSignal]);
      await server.close();
      await close();
      return 0;
    });
  },
});

/** Opens the content for an account, else for the local author. */
async function openFor(
  {
    write,
    account: name,
    ...flags
  }: SiteFlags & { readonly write: boolean; readonly account: string | undefined },
  { terminal, cli }: Pick<CommandInput, 'terminal' | 'cli'>,
  argument: string | undefined,
) {
  const site = await cli.findSite(flags, terminal, argument);
  const options = { explorer: true, write };
  if (name === undefined) {
    const localMode = await openLocalMode(site);
    const content = await cli.openFollowed(site, terminal, { ...options, localMode });
    return { site, ...content, actor: localMode.author };
  }
  const content = await cli.openFollowed(site, terminal, { ...options, signIn: true });
  const account = await content.runtime.members.find(name);
  if (account !== undefined && account.blocked !== true) return { site, ...content, actor: actorOf(account) };
  await content.close();
  const fault = account === undefined ? 'does not exist' : 'is blocked';
  throw new CommandError(`The account '${name}' ${fault}. Accounts: npx astro-jsonapi account list`);
}

/** Gives `work` the standard output. All other output of this process goes to the standard error in the meantime. */
async function withStandardOutput<T>(work: (output: Writable) => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const before = stdout.write;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof before;
  try {
    return await work(new Writable({ write: (chunk, _encoding, done) => void write(chunk, done) }));
  } finally {
    stdout.write = before;
  }
}
