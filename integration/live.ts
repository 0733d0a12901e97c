import type { LiveLoader } from 'astro/loaders';
import {
  createLiveLoader,
  type LiveData,
  type LiveEntryFilter,
  type LiveFilter,
  LiveQueryError,
  type ReadDocument,
  remoteDocuments,
} from './astro/live-loader.ts';
import type { AsOption } from './core/builder/as-option.ts';
import { isRequestError } from './core/builder/query-errors.ts';
import type { BodyField, Fields, PlainValue, Ref } from './core/builder/schema-types.ts';
import { statusOf } from './core/server/errors.ts';
import { errorMessage } from './core/util/text.ts';
import type { SiteSchema } from './types.ts';

export { type LiveData, type LiveEntryFilter, type LiveFilter, LiveQueryError } from './astro/live-loader.ts';

export interface LiveOptions<Bundle extends string = string> extends AsOption {
  /**
   * The bundle, or the full name of a resource type (`taxonomy_term--tags`), which gives the entries their types. Default:
   * the name of the collection.
   */
  readonly bundle?: Bundle;
}

/** `data` of the entries of bundle `Bundle` of a schema. */
export type LiveDataOf<S, Bundle extends string> = Bundle extends keyof S
  ? { readonly type: string } & {
      readonly [Name in Exclude<keyof Fields<S, Bundle>, 'id'>]: LiveValue<Fields<S, Bundle>[Name]>;
    }
  : LiveData;

type LiveValue<V> =
  V extends Ref<string>
    ? LiveReference
    : V extends readonly (infer Item)[]
      ? readonly LiveValue<Item>[]
      : V extends BodyField
        ? Omit<BodyField, 'headings'>
        : PlainValue<V>;

/** Has the fields of the entity too if it is included. */
interface LiveReference {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

export interface RemoteLiveOptions extends Pick<LiveOptions, 'bundle'> {
  /** The address of the API of another server: `https://cms.example/jsonapi`. */
  readonly url: string;
  /** Headers of each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A loader for `defineLiveCollection`: entities as they are when a page is rendered on request, from this site or from any
 * server that speaks JSON:API.
 *
 * ```ts
 * export const collections = { article: defineLiveCollection({ loader: jsonapiLive({ bundle: 'article' }) }) };
 * ```
 */
export function jsonapiLive(
  options: RemoteLiveOptions,
): LiveLoader<LiveData, LiveEntryFilter, LiveFilter, LiveQueryError>;
export function jsonapiLive<const Bundle extends string = string>(
  options?: LiveOptions<Bundle>,
): LiveLoader<LiveDataOf<SiteSchema, Bundle>, LiveEntryFilter, LiveFilter, LiveQueryError>;
export function jsonapiLive(
  options: LiveOptions | RemoteLiveOptions = {},
): LiveLoader<LiveData, LiveEntryFilter, LiveFilter, LiveQueryError> {
  const { bundle } = options;
  return createLiveLoader(
    'url' in options ? remoteDocuments(options.url, options.headers) : ownDocuments(options),
    bundle,
  );
}

/** Documents of this site, without HTTP. */
function ownDocuments({ as }: LiveOptions): ReadDocument {
  return async (address) => {
    const { runtime } = await import('./astro/live-runtime.ts');
    const { content } = await runtime();
    try {
      return await content.jsonapi(address, { as });
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      throw new LiveQueryError(
        errorMessage(error),
        isRequestError(cause) ? statusOf(cause) : undefined,
        error,
      );
    }
  };
}
