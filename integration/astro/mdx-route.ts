import { runtime } from 'astro-jsonapi:runtime';
import type { APIRoute } from 'astro';
import { ANONYMOUS } from '../core/access/actor.ts';
import type { Runtime } from '../core/runtime/runtime.ts';

export const prerender = true;

/**
 * Returns no pages. Renders the MDX in the documents of a static site, whether or not a page does: later, the build has
 * deleted the modules of these bodies and generated the images that bodies use.
 */
export async function getStaticPaths(): Promise<readonly never[]> {
  // A build has the whole runtime.
  const { services } = (await runtime()) as Runtime;
  const { store, settings, renderBody } = services;
  if (settings.api === false || settings.static === false) return [];
  const access = services.access(ANONYMOUS);
  for (const entity of [...store.types.keys()].flatMap((type) => store.entities(type))) {
    if (entity.body?.format !== 'mdx' || !access.allows('view', entity)) continue;
    // Its document reports the error.
    await renderBody(entity).catch(() => undefined);
  }
  return [];
}

export const GET: APIRoute = () => new Response(null, { status: 404 });
