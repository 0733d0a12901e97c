import type { Actor } from '../access/actor.ts';
import { ADMINISTRATOR, ANONYMOUS } from '../access/actor.ts';

/** Whose eyes a query of the site's own code sees with; `actor` decides where both are given. */
export interface AccessOption {
  /** `anonymous` (the default): published entities and public fields only. `all`: everything. */
  readonly access?: 'anonymous' | 'all';
  /** Who looks at the page: what this account may see. Undefined and null are nobody: `access` decides. */
  readonly actor?: Actor | null | undefined;
}

/** Throws an Error that says what is wrong with the option. */
export function actorOf({ access = 'anonymous', actor }: AccessOption): Actor {
  if (actor !== undefined && actor !== null) return checkActor(actor);
  switch (access) {
    case 'anonymous':
      return ANONYMOUS;
    case 'all':
      return ADMINISTRATOR;
    default:
      throw new Error(`There is no access '${String(access satisfies never)}'. Choose 'anonymous' or 'all'.`);
  }
}

// A session's user of another shape must not be taken for somebody with no roles, or with those of a text.
function checkActor(actor: Actor): Actor {
  const { name, roles } = actor;
  const fits = (typeof name === 'string' || name === null) && Array.isArray(roles);
  if (fits && roles.every((role) => typeof role === 'string')) return { name, roles };
  throw new Error(
    "An actor is { name, roles }: a text (null for anonymous) and a list of role names, such as { name: 'ada', roles: ['administrator'] }.",
  );
}
