import type { Actor } from '../../core/access/actor.ts';
import type { RecordedPage } from '../../core/builder/observe-queries.ts';
import type { Entity } from '../../core/content/model.ts';
import { fileOfKey } from '../../core/storage/key.ts';

/** Pages that are offered. */
const MOST_PAGES = 20;

/**
 * The paths of pages that show an entity: those that show the fewest others first. Queries for an account count only for an
 * account with the same name and roles, because their results can be secret.
 */
export function pagesWith(
  { type, id, key }: Entity,
  actor: Actor,
  pages: readonly RecordedPage[],
): readonly string[] {
  const own = [`${type} ${id}`, `${type.replace(/^node--/, '')} ${id}`];
  const file = `/${fileOfKey(key)}`;
  // Files of entries are relative to the project.
  const isOwn = (name: string) => own.includes(name) || `/${name}`.endsWith(file);
  const mayKnow = (other: Actor) =>
    other.name === null || (other.name === actor.name && String(other.roles) === String(actor.roles));
  const sizes = new Map<string, number>();
  for (const { url, queries } of pages) {
    const path = url.split('?', 1)[0] ?? '';
    const last = path.slice(path.lastIndexOf('/') + 1);
    if (last.includes('.') && !last.endsWith('.html')) continue;
    const using = queries.filter(({ actor: other, names }) => mayKnow(other) && names.some(isOwn));
    if (using.length > 0) sizes.set(url, Math.min(...using.map(({ names }) => names.length)));
  }
  const sorted = [...sizes].toSorted(([one, a], [other, b]) => a - b || one.localeCompare(other));
  return sorted.slice(0, MOST_PAGES).map(([url]) => url);
}
