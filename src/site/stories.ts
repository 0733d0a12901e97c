import { entities } from 'astro-jsonapi:content';

/** Every published story, newest first, with its author and tags. */
export const stories = entities('article').include('field_author', 'field_tags').sort('-field_published');

/** The lead story, and all the others, eight to a page. */
export async function frontPage() {
  const lead = await stories.where('field_lead', '=', true).first();
  const pages = await stories.where('id', '<>', lead?.id ?? '').paginate({ size: 8, route: '/page/[page]' });
  return { lead, pages };
}

export type Story = Awaited<ReturnType<typeof stories.all>>[number];
