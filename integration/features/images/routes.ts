import { EDITING, PAGE, type Route } from '../../core/api/routes.ts';
import { CONTENT_FILES_PREFIX } from '../../core/content/model.ts';

/** The path of resized images. Keys of files never start with an underscore and this name. */
export const STYLES_PATH = `${CONTENT_FILES_PREFIX}/_styles`;

/** Below `/jsonapi`. */
export const CROPS_SEGMENT = '_crops';

export const IMAGE_STYLE = 'image-style';

export const IMAGE_ROUTES: readonly Route[] = [
  { ...PAGE, name: IMAGE_STYLE, path: STYLES_PATH, below: '/[style]/[source]/[...file]' },
  { ...EDITING, name: 'crop', below: `/${CROPS_SEGMENT}/[...path]`, methods: ['GET', 'PATCH'] },
];
