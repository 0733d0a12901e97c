import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import { createPresenceSlot, createSlot, ID_SLOT, POLICY_SLOTS, type Slot } from './slot.ts';

/** All slots of a type that queries and policies can use. */
export function slotsOfType(type: ResourceType): readonly Slot[] {
  const slots = [ID_SLOT, ...POLICY_SLOTS.values()];
  const visit = (definitions: readonly FieldDefinition[]): void => {
    if (definitions.filter(({ list }) => list).length > 1) return;
    const leaf = definitions.at(-1)!;
    if (leaf.kind !== 'formatted_text') {
      const names = definitions.map(({ name }) => name);
      slots.push(createSlot(type, names, definitions));
      if (definitions.some(({ kind }) => kind === 'json')) {
        slots.push(createPresenceSlot(type, names, definitions));
      }
    }
    for (const property of Object.values(leaf.properties)) {
      if (leaf.kind !== 'formatted_text' || property.name !== 'processed') visit([...definitions, property]);
    }
  };
  for (const field of type.fields.values()) visit([field]);
  return slots;
}
