import type { Actor } from './actor.ts';
import { AUTHENTICATED_ROLE } from './role.ts';

/** A person or a program that changes content, as commits and tools know it. */
export interface Member {
  readonly name: string;
  readonly roles: readonly string[];
  readonly displayName?: string | undefined;
  readonly mail?: string | undefined;
  readonly blocked?: true | undefined;
  /** The part before the first dot identifies the account: another account of the same name has another one. */
  readonly epoch?: string | undefined;
}

/** The members of a site. */
export interface Members {
  /** Undefined if no account has the name. */
  find(name: string): Promise<Member | undefined>;
  list(): Promise<readonly Member[]>;
}

/** The members of several lists. The first one that has a name wins. */
export function joinMembers(lists: readonly Members[]): Members {
  return {
    async find(name) {
      for (const members of lists) {
        const member = await members.find(name);
        if (member !== undefined) return member;
      }
      return undefined;
    },
    list: async () => (await Promise.all(lists.map((members) => members.list()))).flat(),
  };
}

/** A member as an actor for access policies. */
export function actorOf({ name, roles }: Pick<Member, 'name' | 'roles'>): Actor {
  return { name, roles: [AUTHENTICATED_ROLE, ...roles] };
}
