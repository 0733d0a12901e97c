import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { connectionOf } from '../runtime/connections.ts';
import type { Connection } from '../server/answer-stream.ts';
import { CommandError } from './command.ts';

/** Ports tried after the wished one. */
const PORTS_TRIED = 20;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Whether the wished port was asked for by name: then no other will do. */
  readonly exactly: boolean;
}

export interface Listening {
  readonly origin: string;
  readonly port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** What answers; `address` is the client's. */
export type Handle = (
  request: Request,
  context: { readonly address: string | undefined; readonly connection: Connection },
) => Promise<Response>;

/** Serves a handler of web requests by Node. Throws CommandError where it cannot listen. */
export async function listen(handle: Handle, { host, port, exactly }: ListenOptions): Promise<Listening> {
  const name = host.includes(':') ? `[${host}]` : host;
  const server = createServer((incoming, outgoing) => {
    answer(handle, name, incoming, outgoing).catch(() => {
      // The client went away, or the handler did; there is nobody left to tell.
      outgoing.destroy();
    });
  });
  const bound = await bind(server, host, port, exactly ? 0 : PORTS_TRIED);
  return {
    origin: `http://${ANY_ADDRESS.has(host) ? 'localhost' : name}:${bound}`,
    port: bound,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The port that was free. */
async function bind(server: Server, host: string, port: number, more: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE' && more > 0) return bind(server, host, port + 1, more - 1);
    const reason = LISTEN_PROBLEMS[code];
    const what = `Cannot listen on ${host}, port ${port}`;
    throw new CommandError(reason === undefined ? `${what}: ${String(error)}` : `${what}: ${reason(port)}`);
  }
}

/** Why a server cannot listen, by the code of the error. */
const LISTEN_PROBLEMS: Readonly<Record<string, (port: number) => string>> = {
  EADDRINUSE: (port) =>
    `the port is taken. Leave out --port to have the next free one, or try --port ${port + 1}.`,
  EACCES: () => 'it may not be used without more rights. Choose a port above 1023.',
  EADDRNOTAVAIL: () => 'that is no address of this machine. Leave out --host, or use 0.0.0.0 for all.',
  ENOTFOUND: () => 'that is no address of this machine. Leave out --host, or use 0.0.0.0 for all.',
};

async function answer(
  handle: Handle,
  host: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = readRequest(incoming, host);
  const response =
    request === undefined
      ? new Response('Bad Request', { status: 400 })
      : await handle(request, {
          address: incoming.socket.remoteAddress,
          connection: connectionOf(outgoing),
        });
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (response.body === null || incoming.method === 'HEAD') {
    outgoing.end();
    return;
  }
  const connection = connectionOf(outgoing);
  for await (const chunk of response.body) {
    if (outgoing.destroyed) return;
    outgoing.write(chunk);
    await connection.drained();
  }
  outgoing.end();
}

/** Undefined where target or headers are such as no web request can have. */
function readRequest(incoming: IncomingMessage, host: string): Request | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  try {
    // A target is a path; with two slashes at its start it must not become a host.
    const target = url.startsWith('/') ? `http://${headers.host ?? host}${url}` : url;
    const pairs = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    // Source: RFC 9112, section 6.
    const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
    const hasBody = method !== 'GET' && method !== 'HEAD' && (length !== '0' || coding !== undefined);
    return new Request(target, {
      method,
      headers: pairs,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    });
  } catch {
    return undefined;
  }
}
