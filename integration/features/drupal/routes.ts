import { JSONAPI, type Route } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

const ROUTER = { errors: 'router', contentType: JSON_MEDIA_TYPE, part: 'drupal', localized: true } as const;
// An entity type may have the first segment as its name.
const NAMED = { ...JSONAPI, cached: true, writes: true } as const;

/** The addresses that read content: menus, search indexes, views, and the router of decoupled sites. */
export const READING_ROUTES: readonly Route[] = [
  { ...NAMED, name: 'menu', part: 'drupal', localized: true, below: '/menu_items/[menu]', prebuilt: true },
  { ...NAMED, name: 'index', below: '/index/[index]' },
  { ...NAMED, name: 'view', below: '/views/[view]/[display]' },
  { ...ROUTER, name: 'translate-path', path: '/router/translate-path', cached: true },
];

export const SUBREQUESTS: Route = { ...ROUTER, name: 'subrequests', path: '/subrequests', methods: ['POST'] };
