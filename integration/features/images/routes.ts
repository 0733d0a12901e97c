import { PAGE, type Route } from '../../core/api/routes.ts';
import { STYLES_PATH } from '../../core/read/image-links.ts';

export const IMAGE_STYLE = 'image-style';

export const IMAGE_ROUTES: readonly Route[] = [
  { ...PAGE, name: IMAGE_STYLE, path: STYLES_PATH, below: '/[style]/[source]/[...file]' },
];
