import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../core/server/answer-stream.ts';

/**
 * Returns a function for the connection of the current request. Astro's Node adapter does not wait for slow clients, and
 * does not pass the response on, so that Node would buffer whole bodies. Undefined with other servers.
 */
export function followConnections(): () => Connection | undefined {
  const responses = new AsyncLocalStorage<ServerResponse>();
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { readonly response: ServerResponse };
    responses.enterWith(response);
  });
  return () => {
    const response = responses.getStore();
    return response && connectionOf(response);
  };
}

/** The connection that a response is written to. */
export function connectionOf(response: ServerResponse): Connection {
  return {
    drained() {
      if (!response.writableNeedDrain || response.closed) return undefined;
      return new Promise((resolve) => {
        const done = () => {
          response.off('drain', done).off('close', done);
          resolve();
        };
        response.on('drain', done).on('close', done);
      });
    },
    destroy: () => void response.destroy(),
  };
}
