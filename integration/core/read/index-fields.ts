import type { FieldDefinition, ResourceType } from '../content/model.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';

/** The type of a bundle in option `indexes`, which is a bundle name or a full name. */
export function indexedType({ types }: EntityStore, name: string): ResourceType | undefined {
  const exact = types.get(name) ?? types.get(`node--${name}`);
  return exact ?? [...types.values()].find(({ bundle }) => bundle === name);
}

/** The fields at the end of a path, of which `isVisible` passes all on the way. A property of an object is its field. */
export function fieldsAt(
  store: EntityStore,
  types: readonly ResourceType[],
  path: string,
  isVisible: QueryAccess['fieldVisible'] = () => true,
): readonly FieldDefinition[] {
  const [name = '', ...rest] = path
    .split('.')
    .filter((member) => member !== 'entity' && !/^\d+$/.test(member));
  return types.flatMap((type) => {
    const field = type.fields.get(name);
    if (field === undefined || !isVisible(type, name)) return [];
    if (field.kind !== 'reference' || rest.length === 0) return [field];
    const targets = field.targets.flatMap((target) => store.types.get(target) ?? []);
    return fieldsAt(store, targets, rest.join('.'), isVisible);
  });
}
