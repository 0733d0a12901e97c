import type { APIRoute } from 'astro';
import { jsonapiFetch } from '../fetch.ts';

export const prerender = false;

/** The same answers as the fetch door, for sites with a fetch file of their own and for middleware mode. */
export const ALL: APIRoute = async ({ request }) =>
  (await jsonapiFetch(request)) ?? new Response(null, { status: 404 });
