import { type Raw, isRawMap, scalarText } from '../../source/edit/raw.ts';
import type { JsonValue } from '../../util/json.ts';
import type { FieldDefinition, Reference } from '../model.ts';
import { type KnownEntities, readPrefixedReference, resolveReference } from '../references.ts';
import { resourceTypeName, shortTypeName } from '../resource-type.ts';

export interface ReferenceContext {
  readonly known: KnownEntities;
  /** Whether it is by its form, `bundle/id`, that a field is known to hold references: in bundles without a schema. */
  readonly byForm: boolean;
}

/** The entity that something written refers to; null where it is no reference. */
export function referenceOf(raw: Raw, field: FieldDefinition, { known }: ReferenceContext): Reference | null {
  const text = scalarText(raw);
  const written =
    text ?? (isRawMap(raw) ? { type: scalarText(raw.type) ?? '', id: scalarText(raw.id) ?? '' } : null);
  return resolveReference(written as JsonValue, field.targets, known).reference;
}

/**
 * A reference as it is written: in the form of `before`, a reference of the same field, else the shortest that means
 * this very entity.
 */
export function spellReference(
  reference: Reference,
  field: FieldDefinition,
  before: Raw | undefined,
  context: ReferenceContext,
): Raw {
  const { type, id } = reference;
  const short = shortTypeName(type);
  const explicit: Raw = { type: short, id };
  const spellings: Readonly<Record<ReferenceForm, Raw>> = {
    bare: typeof before === 'number' && String(Number(id)) === id ? Number(id) : id,
    prefixed: `${short}/${id}`,
    'full prefix': `${type}/${id}`,
    explicit: { ...explicit, type: isRawMap(before) && isFullName(before.type) ? type : short },
  };
  const shortest: readonly ReferenceForm[] = context.byForm ? ['prefixed'] : ['bare', 'prefixed'];
  const form = formOf(before);
  for (const each of [...(form === undefined ? [] : [form]), ...shortest]) {
    const found = referenceOf(spellings[each], field, context);
    if (found?.type === type && found.id === id) return spellings[each];
  }
  return spellings.explicit;
}

type ReferenceForm = 'bare' | 'prefixed' | 'full prefix' | 'explicit';

function formOf(before: Raw | undefined): ReferenceForm | undefined {
  if (isRawMap(before)) return 'explicit';
  const text = scalarText(before);
  if (text === undefined) return undefined;
  const prefixed = readPrefixedReference(text);
  return prefixed === undefined ? 'bare' : isFullName(text.split('/')[0]) ? 'full prefix' : 'prefixed';
}

/** `node--person`, which others call `person`. */
function isFullName(name: Raw | undefined): boolean {
  return typeof name === 'string' && name.startsWith('node--') && resourceTypeName(name) === name;
}
