import { isDataKey } from '../source/formats.ts';
import { ForkMap } from '../util/fork-map.ts';

/**
 * Names, such as ids, with the keys of the files that claim them. The first key owns the name: pages before
 * data files, then in code-unit order.
 */
export interface Claims {
  readonly owners: ReadonlyMap<string, string>;
  /** All claimants of the names that several files claim, the owner first. */
  readonly contested: ReadonlyMap<string, readonly string[]>;
  of(name: string): readonly string[];
  add(name: string, key: string): void;
  remove(name: string, key: string): void;
  /** A copy that changes on its own. */
  fork(): Claims;
}

export function createClaims(
  owners = new ForkMap<string, string>(),
  contested = new ForkMap<string, readonly string[]>(),
): Claims {
  function of(name: string): readonly string[] {
    const owner = owners.get(name);
    return contested.get(name) ?? (owner === undefined ? [] : [owner]);
  }

  function set(name: string, keys: readonly string[]): void {
    const [owner] = keys;
    if (owner === undefined) owners.delete(name);
    else owners.set(name, owner);
    if (keys.length > 1) contested.set(name, keys);
    else contested.delete(name);
  }

  return {
    owners,
    contested,
    of,
    add: (name, key) => set(name, [...of(name), key].sort(compareKeys)),
    remove: (name, key) =>
      set(
        name,
        of(name).filter((other) => other !== key),
      ),
    fork: () => createClaims(owners.fork(), contested.fork()),
  };
}

function compareKeys(a: string, b: string): number {
  return Number(isDataKey(a)) - Number(isDataKey(b)) || (a < b ? -1 : 1);
}
