import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { type ApiRequest, addressOf, type Services } from '../../core/api/request.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import type { OpenedFeature, Site } from '../../core/runtime/site.ts';
import { UnauthorizedError } from '../../core/util/errors.ts';
import type { Callouts } from './callouts.ts';
import type { ComponentProp } from './component-props.ts';
import { MARKUP_SEGMENT } from './routes.ts';

/** A component that MDX can import. */
export interface SiteComponent {
  /** The name of its tags. */
  readonly name: string;
  /** The module that exports it, such as `/src/components/Chart.astro`. */
  readonly from: string;
  /** True if the module exports it by its name, false if as its default. */
  readonly named: boolean;
  readonly props: readonly ComponentProp[];
  /** True if it shows the text between its tags. */
  readonly content: boolean;
}

export interface Markup {
  readonly components: readonly SiteComponent[];
  /** By resource type, for those whose Markdown has callouts. */
  readonly callouts: Readonly<Record<string, Callouts>>;
}

export type ReadMarkup = (root: string, services: Services) => Promise<Markup>;

const NO_MARKUP: Markup = { components: [], callouts: {} };

/** `GET /jsonapi/_markup`. Components are for accounts that may write MDX, because MDX is code. */
export function openMarkup({ settings, markup }: Site): OpenedFeature {
  return {
    handlers: {
      markup: {
        async answer(request) {
          const { services, access, actor, headers, target } = request;
          checkJsonApiAccept(headers.get('accept'));
          if (actor.name === null) throw new UnauthorizedError('Sign in to see what texts can contain.');
          parseQuery(target.query, 'individual', services.settings);
          const { components, callouts } = (await markup?.(settings.root, services)) ?? NO_MARKUP;
          const attributes = { components: access.has('write mdx') ? components : [], callouts };
          return { ...documentOf(request, attributes), headers: { 'cache-control': 'no-store' } };
        },
      },
    },
  };
}

function documentOf(request: ApiRequest, attributes: Markup) {
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: { type: 'markup', id: 'markup', attributes: { ...attributes } },
    links: { self: { href: addressOf(request, MARKUP_SEGMENT) } },
  });
}
