import { entities } from 'astro-jsonapi:content';
import type { Language } from './languages.ts';

const now = new Date().toISOString();

/** All outings with their people and tags. With `fallback`, those without a translation are in English. */
export const outings = (lang: Language, fallback: boolean) =>
  entities('event', { lang, fallback }).include('field_host', 'field_guides', 'field_tags');

/** Outings still to come when the site is built, the next one first. */
export const upcomingOutings = (lang: Language) =>
  outings(lang, true).where('field_starts', '>=', now).sort('field_starts');

/** Outings that are over, the latest first. */
export const pastOutings = (lang: Language) =>
  outings(lang, true).where('field_starts', '<', now).sort('-field_starts');

export const isOver = ({ field_starts }: Outing): boolean => Date.parse(field_starts) < Date.parse(now);

export type Outing = Awaited<ReturnType<ReturnType<typeof outings>['all']>>[number];
