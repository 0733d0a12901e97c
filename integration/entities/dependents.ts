import type { CollectorState } from './content-state.ts';
import type { DecodedFile } from './decode.ts';
import type { Reference } from './model.ts';

/** Takes in what a file was decoded to, and what it looked up for that. */
export function remember(state: CollectorState, key: string, decoded: DecodedFile): void {
  state.decoded.set(key, decoded);
  if (state.dependents !== undefined) addDependent(state.dependents, key, decoded);
}

/** The reverse of `remember`. */
export function forget(state: CollectorState, key: string): void {
  const { dependents } = state;
  for (const place of dependents === undefined ? [] : placesOf(state.decoded.get(key))) {
    const keys = dependents?.get(place);
    keys?.delete(key);
    if (keys?.size === 0) dependents?.delete(place);
  }
  state.decoded.delete(key);
}

/** Keys of the files that looked up one of these places, or name one of the files of `uris`. */
export function dependentsOn(
  state: CollectorState,
  places: readonly string[],
  uris: readonly string[],
): Iterable<string> {
  if (places.length === 0 && state.dependents === undefined) return namersOf(state, new Set(uris));
  const dependents = dependentsOf(state);
  return [...uris, ...places].flatMap((place) => [...(dependents.get(place) ?? [])]);
}

/** Keys of the files that name one of the files. Few name any, so that all can be gone through. */
function namersOf(state: CollectorState, uris: ReadonlySet<string>): readonly string[] {
  const keys: string[] = [];
  for (const [key, { files }] of state.decoded) {
    if (files.some((uri) => uris.has(uri))) keys.push(key);
  }
  return keys;
}

function dependentsOf(state: CollectorState): ReadonlyMap<string, ReadonlySet<string>> {
  if (state.dependents === undefined) {
    state.dependents = new Map();
    for (const [key, decoded] of state.decoded) addDependent(state.dependents, key, decoded);
  }
  return state.dependents;
}

function addDependent(dependents: Map<string, Set<string>>, key: string, decoded: DecodedFile): void {
  for (const place of placesOf(decoded)) {
    const keys = dependents.get(place);
    if (keys === undefined) dependents.set(place, new Set([key]));
    else keys.add(key);
  }
}

function placesOf(decoded: DecodedFile | undefined): readonly string[] {
  return decoded === undefined ? [] : [...decoded.lookups.map(placeOf), ...decoded.files];
}

/** An entity, whether it is there or not. */
export function placeOf({ type, id }: Reference): string {
  return `${type}/${id}`;
}
