import type { Options } from '../options/options.ts';
import { createFsDriver } from '../storage/drivers/fs.ts';
import { createCarriedFileSource } from '../storage/file-source.ts';
import type { ContentPlace, Feature, OpenedStorage } from './site.ts';

/** True if a feature stores the content, beside the project's folder. */
export function isStoredElsewhere(features: readonly Feature[], options: Options): boolean {
  return features.some(({ storesContent }) => storesContent?.(options));
}

/** Opens the content with the first feature that does, else from its folder, else from the build. */
export async function openStorage(features: readonly Feature[], place: ContentPlace): Promise<OpenedStorage> {
  for (const feature of features) {
    const opened = await feature.storage?.(place);
    if (opened !== undefined) return opened;
  }
  const { folder, carried } = place;
  if (folder !== undefined) return { driver: createFsDriver(folder) };
  if (carried === undefined) throw new Error('The site has no content.');
  const { driver, files } = await carried();
  return { driver, files: createCarriedFileSource(files) };
}
