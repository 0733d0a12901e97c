import { propertiesOf } from '../../content/file-resource.ts';
import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import { isOwner, isPublicOwner } from '../../content/owner.ts';
import { createPresenceSlot, createSlot, ID_SLOT, OWNER_SLOT, POLICY_SLOTS, type Slot } from './slot.ts';

/** All slots of a type that queries and policies can use. */
export function slotsOfType(type: ResourceType): readonly Slot[] {
  return [ID_SLOT, ...POLICY_SLOTS.values(), ...slotsOfFields(type, type.fields.values())];
}

/** The slots of some fields of a type, and of their properties. */
export function slotsOfFields(type: ResourceType, fields: Iterable<FieldDefinition>): readonly Slot[] {
  const slots: Slot[] = [];
  const visit = (definitions: readonly FieldDefinition[]): void => {
    if (definitions.filter(({ list }) => list).length > 1) return;
    const leaf = definitions.at(-1)!;
    if (isOwner(leaf)) slots.push(OWNER_SLOT);
    if (isPublicOwner(leaf)) return;
    if (leaf.kind !== 'formatted_text') {
      const names = definitions.map(({ name }) => name);
      slots.push(createSlot(type, names, definitions));
      if (definitions.some(({ kind }) => kind === 'json')) {
        slots.push(createPresenceSlot(type, names, definitions));
      }
    }
    for (const property of Object.values(propertiesOf(leaf))) {
      if (leaf.kind !== 'formatted_text' || property.name !== 'processed') visit([...definitions, property]);
    }
  };
  for (const field of fields) visit([field]);
  return slots;
}
