import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../integration/core/access/actor.ts';

/** The accounts of the recorded site by the names used in its cases. */
export const ACTORS: Readonly<Record<string, Actor>> = {
  anon: ANONYMOUS,
  admin: ADMINISTRATOR,
  reporter: { name: 'reporter', roles: ['authenticated', 'reporter'] },
  editor: { name: 'editor', roles: ['authenticated', 'editor'] },
};
