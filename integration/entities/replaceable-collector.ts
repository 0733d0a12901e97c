import { type Collector, type CollectorDeps, type ContentState, createCollector } from './collect.ts';
import type { SchemaDefinition } from './schema.ts';

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
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work, work);
    const done = () => undefined;
    queue = result.then(done, done);
    return result;
  }

  return {
    load: () => inTurn(() => current.load()),
    save: () => current.save(),
    apply: (...changed) => inTurn(() => current.apply(...changed)),
    preview: (key, bytes) => inTurn(() => current.preview(key, bytes)),
    recall: (key, bytes, at) => inTurn(() => current.recall(key, bytes, at)),
    encoding: (key) => current.encoding(key),
    diagnostics: () => current.diagnostics(),
    useSchema: (schema, take) =>
      inTurn(async () => {
        const next = createCollector({ ...deps, schema });
        const state = await next.load();
        current = next;
        take(state);
      }),
  };
}
