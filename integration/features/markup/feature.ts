import type { Feature } from '../../core/runtime/site.ts';
import type { ReadMarkup } from './markup.ts';
import { MARKUP_ROUTES } from './routes.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** Reads what texts of the site can contain beside Markdown. */
    readonly markup?: ReadMarkup;
  }
}

/** The components and the callouts that texts of the site can contain, for the editor. */
export const markup: Feature = {
  name: 'markup',
  routes: MARKUP_ROUTES,
  open: async ({ site }) => (await import('./markup.ts')).openMarkup(site),
  tooling: async () => (await import('./tooling.ts')).tooling,
};
