import type { AddressInfo } from 'node:net';
import { createServer, connect as openSocket, type Socket } from 'node:net';

/** Stands between a client and a server, like a firewall that loses connections without a word. */
export interface TcpProxy {
  readonly port: number;
  /** Existing connections go silent: neither side hears of it. New ones work. */
  forget(): void;
  /** All connections go silent, new ones too, until `heal`. */
  cut(): void;
  /** New connections work again. Those of before stay silent. */
  heal(): void;
  close(): Promise<void>;
}

/** A proxy in front of a server at a Unix socket or a port. */
export async function startTcpProxy(target: string | number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let generation = 0;
  let isCut = false;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    const own = generation;
    if (isCut) return;
    const upstream = typeof target === 'number' ? openSocket(target, '127.0.0.1') : openSocket(target);
    sockets.add(upstream);
    const isSilent = () => own !== generation;
    upstream.on('error', () => undefined);
    client.on('data', (bytes) => void (isSilent() || upstream.write(bytes)));
    upstream.on('data', (bytes) => void (isSilent() || client.write(bytes)));
    client.on('close', () => void (isSilent() || upstream.destroy()));
    upstream.on('close', () => {
      sockets.delete(upstream);
      if (!isSilent()) client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    forget() {
      generation++;
    },
    cut() {
      generation++;
      isCut = true;
    },
    heal() {
      if (isCut) generation++;
      isCut = false;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
