import type { Services } from '../api/request.ts';

/** Services that measure one request. */
export interface TimedServices {
  readonly services: Services;
  /** Value of the header `Server-Timing`. Source: W3C Server Timing. */
  header(): string;
}

export function timeServices(services: Services): TimedServices {
  const started = performance.now();
  let querying = 0;
  const { engine } = services;
  return {
    services: {
      ...services,
      engine: {
        ...engine,
        async run(type, query, access) {
          const before = performance.now();
          try {
            return await engine.run(type, query, access);
          } finally {
            querying += performance.now() - before;
          }
        },
      },
    },
    header: () => `query;dur=${querying.toFixed(3)}, total;dur=${(performance.now() - started).toFixed(3)}`,
  };
}
