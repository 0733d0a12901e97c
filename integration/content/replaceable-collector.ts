import { type Collector, type CollectorDeps, type ContentState, createCollector } from './collect.ts';
import type { SchemaDefinition } from './schema/schema.ts';

/** A collector whose schema can be another one while it follows changes. */
export interface ReplaceableCollector extends Collector {
  /**
   * Reads every file by another schema and hands all there is to `take`, before any later change is applied.
   * A file that cannot be read is without its last good entity then.
   */
  useSchema(schema: SchemaDefinition | undefined, take: (state: ContentState) => void): Promise<void>;
}

export function createReplaceableCollector(deps: CollectorDeps): ReplaceableCollector {
  let current = createCollector(deps);
  /** Calls that have begun. A new schema waits for them, and later calls wait for the new schema. */
  const underWay = new Set<Promise<unknown>>();
  let replaced: Promise<unknown> = Promise.resolve();

  async function call<T>(work: () => Promise<T>): Promise<T> {
    const running = replaced.then(work);
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  }

  return {
    load: () => call(() => current.load()),
    save: () => current.save(),
    apply: (...changed) => call(() => current.apply(...changed)),
    preview: (key, bytes) => call(() => current.preview(key, bytes)),
    recall: (key, bytes, at) => call(() => current.recall(key, bytes, at)),
    encoding: (key) => current.encoding(key),
    diagnostics: () => current.diagnostics(),
    useSchema(schema, take) {
      const replacing = Promise.allSettled([replaced, ...underWay]).then(async () => {
        const next = createCollector({ ...deps, schema });
        const state = await next.load();
        current = next;
        take(state);
      });
      replaced = replacing.catch(() => undefined);
      return replacing;
    },
  };
}
