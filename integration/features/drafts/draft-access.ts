import type { Access } from '../../core/access/access.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { Writer } from '../../core/write/writer.ts';
import type { DraftEntry } from './draft-files.ts';

/** What an actor may do with a draft: no more than with the entry that it will be. */
export interface DraftAccess {
  readonly reads: boolean;
  readonly changes: boolean;
  readonly removes: boolean;
  mayBecome(entity: Entity): boolean;
  /** The permissions for fields. Authors may set the same fields in a draft as in a new entry. */
  readonly access: Access;
}

/**
 * Accounts that may create or update entries of a type see its drafts, unless their roles would hide the entry. The author sees,
 * changes and deletes a draft as long as the account may create entries. Unfinished changes need the permission to change
 * the entry, which is `stored`.
 */
export function accessToDraft(
  { actor, access }: Writer,
  type: ResourceType,
  draft: Entity,
  { author, base }: Pick<DraftEntry, 'author' | 'base'>,
  stored?: Entity,
): DraftAccess {
  if (stored !== undefined) {
    const changes = access.allows('update', stored);
    const reads = changes && access.allows('view', stored);
    return { reads, changes, removes: changes, mayBecome: () => changes, access };
  }

  const mayCreate = access.filterFor('create', type) !== false;
  const isEditor = mayCreate || access.filterFor('update', type) !== false;
  const owner = author ?? draft.values.uid;
  const isAuthor = mayCreate && actor.name !== null && actor.name !== '' && owner === actor.name;
  const mayUpdate = access.allows('update', draft);
  return {
    reads: isAuthor || (isEditor && access.allows('view', draft)),
    changes: isAuthor || mayUpdate,
    removes: isAuthor || access.allows('delete', draft),
    // The permission to change entries does not bring a deleted one back.
    mayBecome: (entity) => (mayUpdate && base === undefined) || access.allows('create', entity),
    access: isAuthor
      ? {
          ...access,
          fieldWritable: (of, field, action, entity) =>
            access.fieldWritable(of, field, action, entity) || access.fieldWritable(of, field, 'create'),
        }
      : access,
  };
}
