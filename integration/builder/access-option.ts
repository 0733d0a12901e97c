import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../access/actor.ts';

/** Whose eyes a build-time query sees with. */
export interface AccessOption {
  /** `anonymous` (the default): published entities and public fields only. `all`: everything. */
  readonly access?: 'anonymous' | 'all';
}

export function actorOf({ access = 'anonymous' }: AccessOption): Actor {
  switch (access) {
    case 'anonymous':
      return ANONYMOUS;
    case 'all':
      return ADMINISTRATOR;
    default:
      throw new Error(`There is no access '${String(access satisfies never)}'. Choose 'anonymous' or 'all'.`);
  }
}
