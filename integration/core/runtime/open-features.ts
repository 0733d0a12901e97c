import { type Actor, ANONYMOUS } from '../access/actor.ts';
import { joinMembers, type Members } from '../access/members.ts';
import { serveFeatures } from '../api/features.ts';
import type { ClientContext, Services } from '../api/request.ts';
import { addBodyFormats } from '../content/markdown-text.ts';
import type { Options } from '../options/options.ts';
import type { ApiSettings } from '../read/settings.ts';
import { CORE_HANDLERS } from '../server/handlers.ts';
import { addDataFormat } from '../source/formats.ts';
import type { RuntimeLog } from './runtime.ts';
import type { SharedState } from './shared-state.ts';
import type { Feature, OpenedFeature, OpeningRuntime, SharingSite, Site, SiteKind } from './site.ts';

/** Adds the formats of features to this process. */
export function addFormats(features: readonly Feature[]): void {
  for (const { formats = [], bodyFormats = {} } of features) {
    for (const format of formats) addDataFormat(format);
    addBodyFormats(bodyFormats);
  }
}

/**
 * The features of a site, and the parts of a runtime and of its services that come from them. Throws an Error if one of
 * them needs a feature that is missing.
 */
export async function openFeatures(site: Site, opening: Omit<OpeningRuntime, 'site' | 'members'>) {
  const names = new Set(site.features.map(({ name }) => name));
  const opened: OpenedFeature[] = [];
  for (const { name, needs = [], open } of site.features) {
    const missing = needs.find((each) => !names.has(each));
    if (missing !== undefined) throw new Error(`The feature ${name} needs the feature ${missing}.`);
    const feature = await open?.({ site, ...opening, members: () => members });
    if (feature !== undefined) opened.push(feature);
  }
  const members: Members = joinMembers(opened.flatMap((feature) => feature.members ?? []));
  return {
    opened,
    services: {
      features: serveFeatures(site.features, CORE_HANDLERS, opened),
      findRedirect: opened.find(({ findRedirect }) => findRedirect)?.findRedirect,
      findDraft: opened.find(({ findDraft }) => findDraft)?.findDraft,
    },
    runtime: {
      members,
      async announce(address: string, log: RuntimeLog) {
        for (const feature of opened) await feature.announce?.(address, log);
      },
      visitor: (request: Request, context: ClientContext) =>
        identifyVisitor(opening.services(), request, context),
    },
    async close() {
      for (const feature of opened) await feature.close?.();
    },
  };
}

/** The sender of a request to a page of the site, whose headers can have credentials of another part of the site. */
async function identifyVisitor(
  { features }: Services,
  request: Request,
  context: ClientContext,
): Promise<Actor> {
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  const visitor = await features.identify(new Request(request.url, { headers }), context, undefined);
  return visitor?.actor ?? ANONYMOUS;
}

/** The database in which the servers of a site share their state; undefined if no option names one. */
export async function openShared(site: SharingSite): Promise<SharedState | undefined> {
  for (const feature of site.features) {
    const shared = await feature.openShared?.(site);
    if (shared !== undefined) return shared;
  }
  return undefined;
}

/** Settings of features, and what holds without them. */
export function featureSettings(
  features: readonly Feature[],
  options: Options,
  site: SiteKind,
): typeof WITHOUT_FEATURES & Partial<ApiSettings> {
  return Object.assign({}, WITHOUT_FEATURES, ...features.map(({ settings }) => settings?.(options, site)));
}

const WITHOUT_FEATURES: Pick<ApiSettings, 'explorer' | 'indexes' | 'staticQueries'> & {
  readonly drupal: boolean;
} = {
  drupal: false,
  explorer: false,
  indexes: {},
  staticQueries: {},
};
