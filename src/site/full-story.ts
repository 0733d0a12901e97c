import { entities } from 'astro-jsonapi:content';
import type { Language } from './languages.ts';

/** The stories that exist in a language, as their own pages show them: with what lies nearby. */
export const fullStories = (lang: Language) =>
  entities('article', { lang })
    .include('field_author', 'field_tags', 'field_related')
    .sort('-field_published');

export type FullStory = Awaited<ReturnType<ReturnType<typeof fullStories>['all']>>[number];
