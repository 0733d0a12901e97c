import type { Feature, FeatureTooling, ImportModule, SiteParts, SiteSettings } from './site.ts';

/** The tooling of all features that have some. */
export async function loadTooling(features: readonly Feature[]): Promise<readonly FeatureTooling[]> {
  const loaded = await Promise.all(features.map((feature) => feature.tooling?.()));
  return loaded.filter((each) => each !== undefined);
}

/** What features take from a process with the files of this package. */
export async function processParts(
  features: readonly Feature[],
  settings: Pick<SiteSettings, 'base' | 'prefix' | 'imageService'>,
  importModule: ImportModule = (name) => import(name),
): Promise<SiteParts> {
  const tooling = await loadTooling(features);
  return Object.assign({}, ...tooling.map(({ parts }) => parts?.(settings, importModule)));
}
