import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { lookup } from 'mrmime';

/** A server of files, as static hosts are: it compresses texts, and counts the sent bytes. */
export interface CountedFiles {
  readonly origin: string;
  /** The sent bytes since the last call. */
  take(): Traffic;
  stop(): Promise<void>;
}

export interface Traffic {
  readonly requests: number;
  /** Bytes of bodies, after gzip. */
  readonly bytes: number;
  /** Bytes by path. */
  readonly files: ReadonlyMap<string, number>;
}

const COMPRESSED = /\.(?:html|m?js|json|txt|wasm|css|sql|sqlite)$/;

export async function serveCountedFiles(dir: string): Promise<CountedFiles> {
  let files = new Map<string, number>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = path.join(dir, decodeURIComponent(pathname));
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    const content = readFileSync(file);
    const isCompressed = COMPRESSED.test(file);
    const body = isCompressed ? gzipSync(content) : content;
    files.set(pathname, body.length);
    response.writeHead(200, {
      'content-type': lookup(file) ?? 'application/octet-stream',
      'cache-control': 'no-cache',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    take() {
      const taken = files;
      files = new Map();
      return traffic(taken);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function traffic(files: ReadonlyMap<string, number>): Traffic {
  return {
    requests: files.size,
    bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0),
    files,
  };
}
