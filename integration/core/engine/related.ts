import { loadCode } from '../util/lazy-code.ts';
import { mapValue } from '../util/maybe-promise.ts';
import type { QueryEngine } from './engine.ts';
import { searchedTexts } from './resolve/resolve-filter.ts';
import type { RelatedSource } from './text/related.ts';

/** An engine that replaces the operator RELATED_TO by searches for what an entity has in common with others. */
export function withRelated(engine: QueryEngine, source: RelatedSource): QueryEngine {
  function expanded(...[types, query, access]: Parameters<QueryEngine['run']>) {
    if (searchedTexts(query.filter, 'isRelated')[0] === undefined) return query;
    return loadCode(() => import('./text/related.ts')).then(({ expandQuery }) =>
      expandQuery([types].flat(), query, access, engine, source),
    );
  }
  return {
    ...engine,
    run: (types, query, access) =>
      mapValue(expanded(types, query, access), (each) => engine.run(types, each, access)),
    explain: (type, query, access) =>
      mapValue(expanded(type, query, access), (each) => engine.explain(type, each, access)),
  };
}
