import { entities } from 'astro-jsonapi:content';

const outings = entities('event').include('field_host', 'field_guides', 'field_tags');
const now = new Date().toISOString();

/** Outings still to come when the site is built, the next one first. */
export const upcomingOutings = outings.where('field_starts', '>=', now).sort('field_starts');

/** Outings that are over, the latest first. */
export const pastOutings = outings.where('field_starts', '<', now).sort('-field_starts');

export type Outing = Awaited<ReturnType<typeof outings.all>>[number];
