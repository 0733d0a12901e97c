import { answer } from '../api/jsonapi/answer.ts';
import type { DataDocument } from '../read/document-types.ts';
import type { Reader } from '../read/reader.ts';
import type { AccessOption } from './access-option.ts';
import { actorOf } from './access-option.ts';
import { cacheKey } from './cache-key.ts';
import type { UntypedQueryBuilder } from './create-builder.ts';
import { createBuilder } from './create-builder.ts';
import { explainRequest } from './explain-failure.ts';
import type { QueryObserver } from './observe-queries.ts';
import { ASK, observeRunner } from './observe-queries.ts';
import type { QueryBuilder } from './query-builder.ts';
import { createQueryRunner } from './run-query.ts';
import type { BundleName } from './schema-types.ts';
import { jsonapiCall } from './write-query.ts';

export type { Actor } from '../access/actor.ts';
export type { DataDocument } from '../read/document-types.ts';
export type { AccessOption } from './access-option.ts';
export type { EntityOf, FieldName, LooseEntity, ReferenceStub } from './entity-types.ts';
export type { Expression, Expressions } from './expression.ts';
export type { QueryBuilder } from './query-builder.ts';
export type { BundleName, InferredBundle, Opaque, Ref } from './schema-types.ts';
export type { Window } from './window.ts';

/**
 * What `astro-jsonapi:content` exports. `S` is the type of the project's schema; `{}` without one, when every
 * bundle is loose: any name, any path. `L` are further bundle names that the schema does not describe.
 */
export interface ContentApi<S, L extends string = [keyof S] extends [never] ? string : never> {
  /** A query on the entities of a bundle, as anonymous visitors see them unless `access` or `actor` says otherwise. */
  entities<const B extends BundleName<S> | L>(bundle: B, options?: AccessOption): QueryBuilder<S, B>;
  /**
   * The very document the server would answer a path below `/jsonapi` with, such as
   * `/node/article?filter[status]=1`. Rejects with an Error where the server would answer with one.
   */
  jsonapi(url: string, options?: AccessOption): Promise<DataDocument>;
  /**
   * A key for `getStaticPaths` of answers that are there already: entities, lists, documents. It is another one whenever
   * one of them is, with all that it includes.
   */
  cacheKey(...answers: readonly unknown[]): string;
}

/** `ContentApi` as it is at run time; `astro-jsonapi:content` exports it under the types of the schema. */
export interface UntypedContentApi {
  entities(bundle: string, options?: AccessOption): UntypedQueryBuilder;
  jsonapi(url: string, options?: AccessOption): Promise<DataDocument>;
  cacheKey(...answers: readonly unknown[]): string;
}

/** The API of the site's own code on a running set of services; `observe` is called around every query. */
export function createContentApi(services: Reader, observe: QueryObserver = ASK): UntypedContentApi {
  const runner = observeRunner(createQueryRunner(services), services, observe);
  return {
    entities: (bundle, { access, actor } = {}) =>
      createBuilder(
        Object.freeze({ ...NOTHING_ASKED, bundle, ...(access && { access }), ...(actor && { actor }) }),
        runner,
      ),
    async jsonapi(url, options = {}) {
      try {
        const actor = actorOf(options);
        const asked = { code: jsonapiCall(url, options), path: url, actor };
        return await observe(asked, () => answer(services, url, { actor }));
      } catch (error) {
        throw explainRequest(error, url);
      }
    },
    cacheKey,
  };
}

const NOTHING_ASKED = {
  filter: [],
  sort: [],
  page: { offset: 0, limit: Number.POSITIVE_INFINITY },
  include: [],
  fields: undefined,
} as const;
