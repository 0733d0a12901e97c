import type { Feature } from '../../core/runtime/site.ts';
import { DRAFT_MODE_OPTIONS } from './options.ts';
import { DRAFT_MODE_ROUTES } from './routes.ts';

/** Leads people to the draft mode of a front end with next-drupal. */
export const draftMode: Feature = {
  name: 'draft-mode',
  needs: ['accounts', 'drupal'],
  options: DRAFT_MODE_OPTIONS,
  routes: DRAFT_MODE_ROUTES,
  open: async (runtime) => (await import('./open-draft-mode.ts')).openDraftMode(runtime),
};
