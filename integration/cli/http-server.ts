import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { connectionOf } from '../astro/connections.ts';
import { CommandError } from '../core/runtime/command.ts';
import type { Connection } from '../core/server/answer-stream.ts';
import { createFsDriver } from '../core/storage/drivers/fs.ts';
import { mediaTypeOf } from '../core/storage/file-source.ts';

/** Ports that are tried after the default one. */
const MORE_PORTS = 20;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** True if another port is not acceptable. */
  readonly isFixed: boolean;
}

export interface HttpServer {
  readonly origin: string;
  readonly port: number;
  /** Closes open connections too. */
  close(): Promise<void>;
}

/** `address` is the client's. */
export type ServeRequest = (
  request: Request,
  context: { readonly address: string | undefined; readonly connection: Connection },
) => Promise<Response>;

/** Serves web requests with Node. Throws CommandError if it cannot listen. */
export async function listen(
  serve: ServeRequest,
  { host, port, isFixed }: ListenOptions,
): Promise<HttpServer> {
  const hostname = host.includes(':') ? `[${host}]` : host;
  const server = createServer((incoming, outgoing) => {
    respond(serve, hostname, incoming, outgoing).catch(() => outgoing.destroy());
  });
  const bound = await bind(server, host, port, isFixed ? 0 : MORE_PORTS);
  return {
    origin: `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : hostname}:${bound}`,
    port: bound,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns the port, which is the first free one. */
async function bind(server: Server, host: string, port: number, more: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE' && more > 0) return bind(server, host, port + 1, more - 1);
    const reason = LISTEN_PROBLEMS[code]?.(port) ?? String(error);
    throw new CommandError(`Cannot listen on ${host}, port ${port}: ${reason}`);
  }
}

/** By error code. */
const LISTEN_PROBLEMS: Readonly<Record<string, (port: number) => string>> = {
  EADDRINUSE: (port) =>
    `the port is in use. Omit --port to use the next free one, or try --port ${port + 1}.`,
  EACCES: () => 'permission denied. Choose a port above 1023.',
  EADDRNOTAVAIL: () =>
    'this machine does not have that address. Omit --host, or use 0.0.0.0 for all addresses.',
  ENOTFOUND: () => 'this machine does not have that address. Omit --host, or use 0.0.0.0 for all addresses.',
};

async function respond(
  serve: ServeRequest,
  hostname: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = readRequest(incoming, hostname);
  const connection = connectionOf(outgoing);
  const response = request
    ? await serve(request, { address: incoming.socket.remoteAddress, connection })
    : new Response('Bad Request', { status: 400 });
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (response.body !== null && incoming.method !== 'HEAD') {
    for await (const chunk of response.body) {
      if (outgoing.destroyed) return;
      outgoing.write(chunk);
      await connection.drained();
    }
  }
  outgoing.end();
}

/** Undefined if the target or a header is invalid for a web request. */
function readRequest(incoming: IncomingMessage, hostname: string): Request | undefined {
  const { method = 'GET', url = '/', headers, headersDistinct } = incoming;
  try {
    // `//a/b` is a path, not a host.
    const target = url.startsWith('/') ? `http://${headers.host ?? hostname}${url}` : url;
    const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
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

/** Serves files in `public/`, below the site's base; undefined for other requests. Browsers may run these files. */
export function createPublicFiles(
  publicDir: string,
  base: string,
): (request: Request) => Promise<Response | undefined> {
  const driver = createFsDriver(publicDir);

  async function read({ url }: Request) {
    const { pathname } = new URL(url);
    if (!pathname.startsWith(`${base}/`) || pathname.endsWith('/')) return undefined;
    const stored = await driver.stat(decodeURIComponent(pathname.slice(base.length + 1)));
    const bytes = stored && (await driver.read(stored.key));
    return stored && bytes && { key: stored.key, bytes };
  }

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    // Invalid encoding and invalid names.
    const file = await read(request).catch(() => undefined);
    if (file === undefined) return undefined;
    const type = mediaTypeOf(file.key);
    const isText = type.startsWith('text/') || type === 'application/json';
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(file.bytes), {
      headers: {
        'content-type': isText ? `${type}; charset=utf-8` : type,
        'content-length': String(file.bytes.length),
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      },
    });
  };
}
