import { ANONYMOUS } from '../access/actor.ts';
import type { Entity } from '../content/model.ts';
import { VERSION_PARAMETER, WORKING_COPY } from '../engine/parse/parse-query.ts';
import { ConflictError } from '../util/errors.ts';
import { loadCode } from '../util/lazy-code.ts';
import type { DocumentContext } from './reader.ts';

/** A version of an entity, whose response depends on more than content, clock and actor. */
export interface VersionView extends Pick<DocumentContext, 'services'> {
  readonly entity: Entity;
  /** Undefined for the current file. */
  readonly name?: string;
  /** Full hash of the commit of a past version. */
  readonly commit?: string;
}

/**
 * The version of a visible entity that a request asks for; undefined for the current file. Actors that may change an entity
 * get its unfinished changes. All others get the current file. Throws as `findPast` does.
 */
export async function findVersion(
  { services, access, actor = ANONYMOUS }: Pick<DocumentContext, 'services' | 'access' | 'actor'>,
  present: Entity,
  version: string | undefined,
): Promise<VersionView | undefined> {
  if (version === undefined) return undefined;
  if (version !== WORKING_COPY) {
    const { findPast } = await loadCode(() => import('./past.ts'));
    const past = await findPast({ services, access, actor }, present, version);
    return { ...past, name: `id:${past.commit}` };
  }
  if (services.findDraft === undefined || actor.name === null) return undefined;
  const draft = await services.findDraft({ services, access, actor }, present);
  if (draft?.changesEntry !== true) return { services, entity: present };
  if (draft.entity !== undefined) return { services, entity: draft.entity, name: version };
  const detail = 'A file of the unfinished changes is missing or has errors. Correct it by hand first.';
  throw new ConflictError(detail, { parameter: VERSION_PARAMETER });
}
