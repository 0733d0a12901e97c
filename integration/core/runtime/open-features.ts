import { addBodyFormats } from '../content/markdown-text.ts';
import type { Options } from '../options/options.ts';
import type { ApiSettings } from '../read/settings.ts';
import { addDataFormat } from '../source/data-formats.ts';
import type { SharedState } from './shared-state.ts';
import type { Feature, OpenedFeature, OpeningRuntime, SharingSite, Site, SiteKind } from './site.ts';

/** Adds the formats of features to this process. */
export function addFormats(features: readonly Feature[]): void {
  for (const { formats = [], bodyFormats = {} } of features) {
    for (const format of formats) addDataFormat(format);
    addBodyFormats(bodyFormats);
  }
}

/** Opens the features of a site. Throws an Error if one of them needs a feature that is missing. */
export async function openFeatures(
  site: Site,
  opening: Omit<OpeningRuntime, 'site'>,
): Promise<readonly OpenedFeature[]> {
  const names = new Set(site.features.map(({ name }) => name));
  const opened: OpenedFeature[] = [];
  for (const { name, needs = [], open } of site.features) {
    const missing = needs.find((each) => !names.has(each));
    if (missing !== undefined) throw new Error(`The feature ${name} needs the feature ${missing}.`);
    const feature = await open?.({ site, ...opening });
    if (feature !== undefined) opened.push(feature);
  }
  return opened;
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
