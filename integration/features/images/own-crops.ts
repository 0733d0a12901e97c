import { uriOf } from '../../core/content/file-location.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { referrersOf, visibleReferrers } from '../../core/read/content-files.ts';
import type { Reader } from '../../core/read/reader.ts';
import type { ImageCrop } from './crop.ts';
import { cropText, picturesIn } from './picture-of.ts';

/** The crops that objects of the content have for an image, by their text. Only those of entities that the actor may see. */
export async function ownCrops(
  services: Reader,
  access: QueryAccess,
  key: string,
): Promise<ReadonlyMap<string, ImageCrop>> {
  const uri = uriOf({ source: 'content', key });
  const { own } = await referrersOf(services, uri);
  const crops = new Map<string, ImageCrop>();
  const inFields = own.filter(({ field }) => field !== 'body');
  for await (const { referrer, entity } of visibleReferrers(services, access, inFields)) {
    for (const { image, shown } of picturesIn(entity.values[referrer.field])) {
      if (shown === undefined || image.uri.value !== uri) continue;
      // Few sites have one.
      const { cropSchema } = await import('./crop-file.ts');
      const { data } = cropSchema.safeParse(shown);
      if (data !== undefined) crops.set(cropText(shown), data);
    }
  }
  return crops;
}
