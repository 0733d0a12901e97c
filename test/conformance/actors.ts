import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../integration/access/actor.ts';

/** The accounts of the recorded site, by the names that its cases give them. */
export const ACTORS: Readonly<Record<string, Actor>> = {
  anon: ANONYMOUS,
  admin: ADMINISTRATOR,
  reporter: { name: 'reporter', roles: ['authenticated', 'reporter'] },
  editor: { name: 'editor', roles: ['authenticated', 'editor'] },
};
