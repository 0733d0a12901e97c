import { isPublishedAt } from '../../core/access/schedule.ts';
import { addressOf, aliasOf } from '../../core/content/decode/alias.ts';
import { type Entity, languageOf } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { translatedBase } from '../../core/read/language-paths.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import type { FollowChange } from '../../core/write/writer.ts';
import { editRedirects, entityTarget, MAX_FROM, pathOf, readRedirects } from './redirect-file.ts';
import { REDIRECTS_FILE } from './routes.ts';

/**
 * Adds a redirect from the former address of a published entry, and removes one whose address a published entry takes.
 * Redirects to the former address lead to the entry too, so no chain grows.
 */
export function createFollowRedirects(settings: () => Pick<ApiSettings, 'languages'>): FollowChange {
  return async ({ change: { entity, change }, before, after, now }, files) => {
    if (change === 'unchanged' || change === 'removed') return [];
    const former = before.get(entity.type, entity.id, entity.translation);
    const wasPublished = former !== undefined && isPublishedAt(former, now);
    const isPublished = isPublishedAt(entity, now);
    const isMoved = former === undefined || aliasOf(former) !== aliasOf(entity);
    // Another operation of the request can have taken an address in between.
    if (!isMoved && wasPublished === isPublished && before === after) return [];
    const left = wasPublished ? addressesOf(former, before, settings()) : [];
    const present = addressesOf(entity, before, settings());
    const taken = isPublished ? present : [];
    const freed = left.filter(
      (address) => address.length <= MAX_FROM && !present.includes(address) && !isHeld(address),
    );

    function isHeld(address: string): boolean {
      for (const type of after.types.values()) {
        for (const other of after.entities(type.name)) {
          const isOwn = other.type === entity.type && other.id === entity.id;
          if (isOwn || aliasOf(other) === null || !isPublishedAt(other, now)) continue;
          if (addressesOf(other, after, settings()).includes(address)) return true;
        }
      }
      return false;
    }

    if (taken.length === 0 && freed.length === 0) return [];
    const file = await readRedirects(files);
    const target = entityTarget(entity);
    const edits = new Map<string, string | undefined>();
    for (const address of taken) if (file.redirects.has(address)) edits.set(address, undefined);
    for (const address of freed) edits.set(address, target);
    for (const { from, to, target: other } of file.redirects.values()) {
      const path = pathOf(other);
      if (path !== undefined && freed.includes(path) && addressOf(to) === path && !edits.has(from)) {
        edits.set(from, target);
      }
    }
    if (edits.size === 0) return [];
    await files.write(REDIRECTS_FILE, editRedirects(file, edits));
    return [REDIRECTS_FILE];
  };
}

/** The addresses of an entry: its alias in its language, and in those of translations that have no alias of their own. */
export function addressesOf(
  entity: Entity,
  store: EntityStore,
  { languages }: Pick<ApiSettings, 'languages'>,
): readonly string[] {
  const alias = aliasOf(entity);
  if (alias === null) return [];
  const isShared = store.types.get(entity.type)?.fields.get('path')?.untranslated === true;
  const others =
    isShared && entity.translation === undefined
      ? (languages?.all ?? []).flatMap(({ code }) => store.get(entity.type, entity.id, code) ?? [])
      : [];
  const codes = new Set([entity, ...others].map(languageOf));
  return [...codes].map((code) => translatedBase({ base: '', languages }, code) + addressOf(alias));
}
