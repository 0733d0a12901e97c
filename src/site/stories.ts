import { entities } from 'astro-jsonapi:content';
import { type Language, langParam } from './languages.ts';

/** Every published story, newest first, with its author and tags: in this language if it is translated, else in English. */
export const stories = (lang: Language) =>
  entities('article', { lang, fallback: true })
    .include('field_author', 'field_tags')
    .sort('-field_published');

/** The lead story, and all the others, eight to a page. */
export async function frontPage(lang: Language) {
  const lead = await stories(lang).where('field_lead', '=', true).first();
  const pages = await stories(lang)
    .where('id', '<>', lead?.id ?? '')
    .paginate({ size: 8, route: '/[...lang]/page/[page]', params: { lang: langParam(lang) } });
  return { lead, pages };
}

export type Story = Awaited<ReturnType<ReturnType<typeof stories>['all']>>[number];
