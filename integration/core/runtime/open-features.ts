import type { Services } from '../api/request.ts';
import type { OpenedFeature, RuntimeLog, Site } from './site.ts';

/** Opens the features of a site. Throws an Error if one of them needs a feature that is missing. */
export async function openFeatures(
  site: Site,
  log: RuntimeLog,
  services: () => Services,
): Promise<readonly OpenedFeature[]> {
  const names = new Set(site.features.map(({ name }) => name));
  const opened: OpenedFeature[] = [];
  for (const { name, needs = [], open } of site.features) {
    const missing = needs.find((each) => !names.has(each));
    if (missing !== undefined) throw new Error(`The feature ${name} needs the feature ${missing}.`);
    const feature = await open?.({ site, log, services });
    if (feature !== undefined) opened.push(feature);
  }
  return opened;
}
