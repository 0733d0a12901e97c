import { objectOf, type Resource } from '../api/document.ts';
import type { Bundle, Field } from '../api/schema.ts';
import { compareFields, type FieldDifference } from './compare.ts';
import { valuesOf } from './entity-form.ts';

/** A change that others have overtaken. */
export interface Conflict {
  readonly id: string;
  readonly kind: 'fields' | 'removed-here' | 'removed-by-others' | 'file';
  /** The title of the entity, else its id or the path of the file. */
  readonly title: string;
  readonly entity:
    | { readonly type: string; readonly id: string; readonly language: string | undefined }
    | undefined;
  readonly author: string;
  /** Undefined if it is unknown. */
  readonly created: string | undefined;
  readonly commit: string;
  readonly fields: readonly ConflictingField[];
}

export interface ConflictingField {
  readonly field: Field;
  /** How the lost value differs from that of today; undefined if both are the same now. */
  readonly difference: FieldDifference | undefined;
}

export type Side = 'mine' | 'theirs';

/** Reads a resource of `/jsonapi/_conflicts`. */
export function conflictOf(
  { id, attributes }: Pick<Resource, 'id' | 'attributes'>,
  bundles: readonly Bundle[],
): Conflict {
  const { kind, title, file, author, created, commit } = attributes;
  const { type, id: entityId, translation } = objectOf(attributes.entity);
  const bundle = bundles.find(({ name }) => name === type);
  const sent = (Array.isArray(attributes.fields) ? attributes.fields : []).map(objectOf);
  return {
    id,
    kind: KINDS.find((each) => each === kind) ?? 'file',
    title: [title, entityId, file].find((each) => typeof each === 'string' && each !== '') as string,
    entity:
      bundle === undefined
        ? undefined
        : {
            type: bundle.name,
            id: String(entityId),
            language: typeof translation === 'string' ? translation : undefined,
          },
    author: String(author),
    created: typeof created === 'string' ? created : undefined,
    commit: String(commit),
    fields: sent.flatMap(({ name, mine, present }) => {
      const field = bundle?.fields.find((each) => each.name === name);
      if (field === undefined) return [];
      const values = (value: unknown) => valuesOf([field], resourceWith(field, value));
      const [difference] = compareFields([field], values(present), values(mine));
      return [{ field, difference }];
    }),
  };
}

const KINDS: readonly Conflict['kind'][] = ['fields', 'removed-here', 'removed-by-others', 'file'];

function resourceWith({ name, kind }: Field, value: unknown) {
  return kind === 'reference'
    ? { relationships: { [name]: { data: value } } }
    : { attributes: { [name]: value } };
}
