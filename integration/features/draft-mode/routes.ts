import type { Route } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

const DRAFT_URL = {
  name: 'draft-url',
  errors: 'router',
  contentType: JSON_MEDIA_TYPE,
  part: 'drupal',
  methods: ['GET', 'POST'],
} as const;

/** The addresses of Drupal's module `next`. The pages router of next-drupal 1 knows the second one. */
export const DRAFT_MODE_ROUTES: readonly Route[] = [
  { ...DRAFT_URL, path: '/next/draft-url' },
  { ...DRAFT_URL, path: '/next/preview-url', alias: true },
];
