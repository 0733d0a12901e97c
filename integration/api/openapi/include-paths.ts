import type { ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import type { Reader } from '../../read/reader.ts';
import { visibleFields } from '../../read/sparse-fields.ts';

/** Paths through references that the actor may see, up to DEPTH of them, the shorter first; MAX_PATHS at most. */
export function includePaths(services: Reader, access: QueryAccess, type: ResourceType): readonly string[] {
  const paths = new Set<string>();
  let ends: readonly End[] = [{ prefix: '', type }];
  for (let depth = 1; depth <= DEPTH; depth += 1) {
    const next: End[] = [];
    for (const end of ends) {
      for (const { name, targets } of referencesOf(services, access, end.type)) {
        const path = end.prefix + name;
        paths.add(path);
        next.push(...targets.map((target) => ({ prefix: `${path}.`, type: target })));
      }
    }
    ends = next;
  }
  return [...paths].slice(0, MAX_PATHS);
}

/** Every type that any include path leads to. */
export function includedTypes(
  services: Reader,
  access: QueryAccess,
  type: ResourceType,
): ReadonlySet<ResourceType> {
  const found = new Set<ResourceType>();
  const next = [type];
  for (const each of next) {
    for (const { targets } of referencesOf(services, access, each)) {
      for (const target of targets) {
        if (found.has(target)) continue;
        found.add(target);
        next.push(target);
      }
    }
  }
  return found;
}

function referencesOf(
  { store }: Reader,
  access: QueryAccess,
  type: ResourceType,
): readonly { readonly name: string; readonly targets: readonly ResourceType[] }[] {
  return visibleFields(type, access)
    .filter((field) => field.kind === 'reference')
    .map(({ name, targets }) => ({
      name,
      targets: targets.flatMap((target) => store.types.get(target) ?? []),
    }));
}

const DEPTH = 2;
const MAX_PATHS = 200;

/** Where paths have come to. */
interface End {
  /** With a dot at its end, or empty. */
  readonly prefix: string;
  readonly type: ResourceType;
}
