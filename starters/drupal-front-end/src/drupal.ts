import { DRUPAL_URL } from 'astro:env/server';
import { z } from 'astro/zod';

/** The references whose targets the pages show. */
export const include = ['field_tags', 'field_image'];

/** What Drupal has at a path. Nothing is set if visitors can see nothing there. */
interface Found {
  resourceName?: string;
  id?: string;
  redirect?: string;
  /** The reason why Drupal did not answer. */
  problem?: string;
}

/** Finds a path of the site in Drupal, with its module `decoupled_router`. */
export async function findPath(path: string): Promise<Found> {
  try {
    const response = await fetch(drupalUrl(`/router/translate-path?path=${encodeURIComponent(path)}`));
    if (response.status === 403 || response.status === 404) return {};
    if (!response.ok) return { problem: `${response.url} returned ${response.status}.` };
    const { entity, jsonapi, redirect } = routeSchema.parse(await response.json());
    const target = redirect?.at(-1)?.to;
    return target === undefined
      ? { resourceName: jsonapi.resourceName, id: entity.uuid }
      : { redirect: target };
  } catch (error) {
    return { problem: `${DRUPAL_URL} cannot be reached: ${error}` };
  }
}

const routeSchema = z.object({
  entity: z.object({ uuid: z.string() }),
  jsonapi: z.object({ resourceName: z.string() }),
  redirect: z.array(z.object({ to: z.string() })).optional(),
});

/** The first level of a menu, from Drupal's module `jsonapi_menu_items`. Empty without one. */
export async function menu(name: string) {
  try {
    const response = await fetch(drupalUrl(`/jsonapi/menu_items/${name}`));
    const { data } = menuSchema.parse(await response.json());
    return data.map(({ attributes }) => attributes).filter(({ parent }) => parent === '');
  } catch {
    return [];
  }
}

const menuSchema = z.object({
  data: z.array(
    z.object({ attributes: z.object({ title: z.string(), url: z.string(), parent: z.string() }) }),
  ),
});

/** The URL of a path on Drupal's server, such as that of a file. */
export function drupalUrl(path: string): string {
  return new URL(path, DRUPAL_URL).href;
}

/** The HTML of a body, with images from Drupal's server. Its links stay on this site. */
export function bodyHtml(html = ''): string {
  return html.replace(
    /(<img\b[^>]*\ssrc=")(\/[^"]*)/g,
    (_, start: string, path: string) => start + drupalUrl(path),
  );
}
