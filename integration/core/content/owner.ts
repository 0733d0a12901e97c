import { BASE_FIELDS } from './base-fields.ts';
import type { Entity, FieldDefinition, FieldValue, Reference, ResourceType } from './model.ts';
import { userId } from './user-id.ts';

export const USER_TYPE_NAME = 'user--user';

/** The users of a site without files about them: what a name says. Others have the fields of their files. */
export const USER_TYPE: ResourceType = {
  name: USER_TYPE_NAME,
  entityType: 'user',
  bundle: 'user',
  fields: new Map([['display_name', { ...BASE_FIELDS.title, name: 'display_name', key: 'display_name' }]]),
  origin: 'schema',
};

/** The owner for actors without permission to see the names of accounts: only a user that is an entity. */
export const PUBLIC_OWNER: FieldDefinition = {
  ...BASE_FIELDS.uid,
  kind: 'reference',
  targets: [USER_TYPE_NAME],
};

/** True for the owner as anonymous visitors get it. */
export function isPublicOwner(field: FieldDefinition): boolean {
  return isOwner(field) && field.kind === 'reference';
}

/** True for the field with the owner: the name of an account, or a reference to a user in what anonymous visitors get. */
export function isOwner({ base, name }: FieldDefinition): boolean {
  return base && name === BASE_FIELDS.uid.name;
}

/** The id that an entity of a type has if its file, or a reference, has this one. */
export function entityId(type: string, id: string): string {
  return type === USER_TYPE_NAME ? userId(id) : id;
}

/** The user in the value of `uid`. */
export function ownerReference(value: FieldValue | undefined): Reference | undefined {
  if (typeof value === 'string') return { type: USER_TYPE_NAME, id: userId(value) };
  return (value ?? undefined) as Reference | undefined;
}

/** A user without a file. Only actors with permission to see the names of accounts see it. */
export function userNamed(name: string): Entity {
  const values: Entity['values'] = Object.assign(Object.create(null), { title: name, display_name: name });
  return {
    type: USER_TYPE_NAME,
    id: userId(name),
    key: '',
    revision: '',
    values,
    published: false,
    body: null,
  };
}
