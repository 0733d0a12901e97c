import { withoutPrototype } from '../../core/content/base-fields.ts';
import type { Entity, FieldValue, ResourceType } from '../../core/content/model.ts';
import { parseFile } from '../../core/content/parse-file.ts';
import type { Preview } from '../../core/content/preview.ts';
import { formatOf } from '../../core/source/formats.ts';
import { coerceField } from '../../core/write/coerce.ts';

/**
 * The readable part of a file with errors. A value that only breaks a rule of the schema is part of it, so that forms show what
 * was written.
 */
export function readableEntity(
  { entity, draft, problems }: Preview,
  { fields }: ResourceType,
  bytes: Uint8Array,
): Entity | undefined {
  if (entity !== null) return entity;
  const format = draft && formatOf(draft.key);
  if (draft === undefined || format === undefined) return undefined;
  const { parsed } = parseFile(bytes, format, draft.revision);
  const written: Record<string, FieldValue> = {};
  for (const { code, path: [key] = [] } of problems) {
    const raw = parsed?.data[String(key)] ?? null;
    const field = [...fields.values()].find((each) => each.key === key);
    if (!RULES.has(code) || field === undefined || raw === null) continue;
    const { value, faults } = coerceField(raw, field, { has: () => true });
    if (faults.length === 0) written[field.name] = value;
  }
  return { ...draft, values: withoutPrototype({ ...draft.values, ...written }) };
}

const RULES: ReadonlySet<string> = new Set(['field/invalid', 'schema/failed']);
