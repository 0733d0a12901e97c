import type { Feature } from '../../core/runtime/site.ts';
import { withCrops } from './crop-facts.ts';
import { IMAGE_OPTIONS } from './options.ts';
import { imageReading } from './reading.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** Loads the image service of the site. */
    readonly imageService?: () => Promise<unknown>;
    /** Loads the package sharp; undefined without it. */
    readonly sharp?: () => Promise<unknown>;
    /** Loads the images in `public/` of a build as base64, by key, for a server that cannot read that folder. */
    readonly publicImages?: () => Promise<PublicImages>;
  }
}

export type PublicImages = Readonly<Record<string, () => Promise<{ readonly default: string }>>>;

/** Resized images, to which the resources of files have links. */
export const images: Feature = {
  ...imageReading,
  // Without it, files are not resources.
  needs: ['drupal'],
  options: IMAGE_OPTIONS,
  checkOptions({ imageStyles, api, drupal }, report) {
    if (imageStyles === undefined) return;
    if (api === false) report('imageStyles', 'it needs option api, because the API has the links.');
    else if (!drupal)
      report('imageStyles', 'it needs option drupal, because the resources of files have the links.');
  },
  settings: ({ imageStyles }) => ({ imageStyles }),
  facts: withCrops,
  describe: async () => [(await import('./describe.ts')).describeImages],
  open: async (runtime) => (await import('./open-images.ts')).openImages(runtime),
  tooling: async () => (await import('./tooling.ts')).tooling,
};
