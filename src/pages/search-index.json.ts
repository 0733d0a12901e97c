import type { APIRoute } from 'astro';
import { searchEntries } from '../site/search-entries.ts';

export const prerender = true;

export const GET: APIRoute = async () => Response.json(await searchEntries());
