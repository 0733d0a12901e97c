import { z } from 'zod';
import type { PageQueries, UsesModule } from './page-queries.ts';

/** What a page in a browser is told and tells, over the connection of Vite's own client. */
export interface DevSocket {
  readonly clients: ReadonlySet<DevClient>;
  on(event: string, listener: (data: unknown, client: DevClient) => void): void;
}

export interface DevClient {
  send(payload: DevPayload): void;
  send(event: string, data?: unknown): void;
}

/** Of Vite's own messages, those sent here. */
export type DevPayload =
  | { readonly type: 'full-reload' }
  | { readonly type: 'error'; readonly err: OverlayError };

/** As Astro's error overlay reads it; `message`, `hint` and `highlightedCode` are HTML. */
export interface OverlayError {
  readonly name: string;
  readonly title: string;
  readonly message: string;
  readonly stack: string;
  readonly plugin: string;
  readonly hint?: string;
  readonly highlightedCode?: string;
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number };
}

export interface PageClientsDeps {
  readonly socket: DevSocket;
  readonly queries: PageQueries;
  /** Whether the page at an address is made with a module. */
  uses(url: string): UsesModule;
  /** What is wrong now. */
  fault(): OverlayError | undefined;
}

/** The pages that are open in browsers. */
export interface PageClients {
  /** After a change: reloads the pages that used what has changed. All that are open where `all` is true. */
  update(all?: boolean): void;
  /** Shows what is wrong over every page, or takes it away. */
  showFault(): void;
  /**
   * After each answer to a page. Astro shows the error of a page over all pages: they are told whose it is, before it comes,
   * and when it is gone: the page is answered without it, or its queries have other answers.
   */
  answered(url: string, status: number): void;
}

export function createPageClients({ socket, queries, uses, fault }: PageClientsDeps): PageClients {
  const addresses = new Map<DevClient, string>();
  const failed = new Set<string>();
  let queue: Promise<unknown> = Promise.resolve();

  /** Reloads the pages whose answers are others now, and those that are not known where `others` says so. */
  async function reload(others: 'all' | 'unknown' | 'none'): Promise<void> {
    const pages = new Map([...addresses.values(), ...failed].map((url) => [url, uses(url)]));
    const changed = others === 'all' ? new Set(pages.keys()) : await queries.changed(pages);
    for (const client of socket.clients) {
      const url = addresses.get(client);
      const unknown = url === undefined || queries.of(url, uses(url)) === undefined;
      if (unknown ? others !== 'none' : changed.has(url)) client.send({ type: 'full-reload' });
      else if (others !== 'none') client.send(CHANGED);
    }
    for (const url of failed) {
      if (others === 'all' || changed.has(url)) recovered(url);
    }
  }

  function recovered(url: string): void {
    failed.delete(url);
    const err = fault();
    for (const client of socket.clients) {
      client.send(RECOVERED, { url });
      if (err !== undefined) client.send({ type: 'error', err });
    }
  }

  /** Each waits for the one before, which tells what has changed once only. */
  function inTurn(others: 'all' | 'unknown' | 'none'): void {
    queue = queue.then(() => reload(others)).catch(() => undefined);
  }

  socket.on(PAGE, (data, client) => {
    const page = announced.safeParse(data);
    if (!page.success) return;
    addresses.set(client, page.data.url);
    const err = fault();
    if (err !== undefined) client.send({ type: 'error', err });
    // The content may have changed since the page was answered.
    inTurn('none');
  });
  socket.on('vite:client:disconnect', (_, client) => {
    addresses.delete(client);
  });

  return {
    update: (all = false) => inTurn(all ? 'all' : 'unknown'),
    showFault() {
      const err = fault();
      for (const client of socket.clients) {
        if (err === undefined) client.send(MENDED);
        else client.send({ type: 'error', err });
      }
    },
    answered(url, status) {
      const asked = queries.of(url, uses(url)) ?? [];
      // What a component asks fails when the answer has begun, with a good status.
      const fails = asked.some((query) => query.failed) || (status >= 500 && asked.length > 0);
      if (!fails) {
        if (failed.has(url)) recovered(url);
        return;
      }
      failed.add(url);
      for (const oldest of failed) {
        if (failed.size <= MAX_FAILED) break;
        failed.delete(oldest);
      }
      for (const client of socket.clients) client.send(FAILED, { url });
    },
  };
}

/** A page says where it is. */
const PAGE = 'astro-jsonapi:page';
/** The content has changed, and the page's part of it has not. */
const CHANGED = 'astro-jsonapi:changed';
/** Nothing is wrong any more. */
const MENDED = 'astro-jsonapi:mended';
/** A page that asked the content cannot be made. */
const FAILED = 'astro-jsonapi:failed';
/** It can, or may be again. */
const RECOVERED = 'astro-jsonapi:recovered';
/** The oldest are forgotten first. */
const MAX_FAILED = 100;

const announced = z.object({ url: z.string().max(8192) });
