import { type Access, allowsEverything } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { isOutside, isServable } from '../content/file-location.ts';
import { layoutOf } from '../content/layout.ts';
import type { Reader } from '../read/reader.ts';
import { isUploadable } from '../write/file-types.ts';

/**
 * True if the actor may see a file of the content folder that no entity refers to, to manage it. Links to it, or entities with errors, may
 * be hidden from others.
 */
export function mayUseUnusedFile(request: FileAsker, key: string): boolean {
  const { access, actor, services } = request;
  const file = { source: 'content', key } as const;
  return (
    services.settings.admin === true &&
    isServable(file, layoutOf(services.settings.layout)) &&
    !isOutside(key) &&
    isUploadable(key) &&
    actor.name !== null &&
    changesContent(request) &&
    allowsEverything(access, 'view', services.store)
  );
}

/** True if the sender may create or update some entity. */
export function changesContent({ access, services }: Omit<FileAsker, 'actor'>): boolean {
  return [...services.store.types.values()].some(
    (type) => access.filterFor('create', type) !== false || access.filterFor('update', type) !== false,
  );
}

/** The part of a request that decides. */
interface FileAsker {
  readonly access: Access;
  readonly actor: Actor;
  readonly services: Pick<Reader, 'store' | 'settings'>;
}
