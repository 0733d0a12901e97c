import type { Feature } from '../../core/runtime/site.ts';
import { DRAFT_MODE_OPTIONS } from './options.ts';
import { DRAFT_MODE_ROUTES } from './routes.ts';

/** Leads people to the draft mode of a front end with next-drupal. */
export const draftMode: Feature = {
  name: 'draft-mode',
  needs: ['accounts', 'drupal'],
  options: DRAFT_MODE_OPTIONS,
  checkOptions(options, report) {
    if (options.draftMode === undefined) return;
    if (options.editing === false)
      report('draftMode', 'it needs option editing, because only accounts see drafts.');
    if (!options.drupal) report('draftMode', 'it needs option drupal.');
  },
  routes: DRAFT_MODE_ROUTES,
  open: async (runtime) => (await import('./open-draft-mode.ts')).openDraftMode(runtime),
};
