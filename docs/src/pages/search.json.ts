import type { APIRoute } from 'astro';
import { pageSections } from '../sections.ts';

export const GET: APIRoute = async () => Response.json(await pageSections());
