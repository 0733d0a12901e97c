import { UnwritableChangeError } from '../../source/edit/edit-data.ts';
import { isRawMap, type Raw, scalarText } from '../../source/edit/raw.ts';
import type { JsonValue } from '../../util/json.ts';
import { isRecord } from '../../util/json.ts';
import { type KnownEntities, parsePrefixedReference, resolveReference } from '../decode/references.ts';
import { fileAt, writtenAs } from '../file-location.ts';
import type { FieldDefinition, Reference } from '../model.ts';
import { resourceTypeName, shortTypeName } from '../resource-type.ts';

export interface ReferenceContext {
  readonly known: KnownEntities;
  /** True without a schema: only the form `bundle/id` makes a field a reference. */
  readonly byForm: boolean;
}

/** True if a written reference means this entity, and still does after more entities are created: no other entity comes first. */
function isLasting(
  raw: Raw,
  { type, id }: Reference,
  { targets }: FieldDefinition,
  known: KnownEntities,
): boolean {
  const text = scalarText(raw);
  const written =
    text ?? (isRawMap(raw) ? { type: scalarText(raw.type) ?? '', id: scalarText(raw.id) ?? '' } : null);
  const { reference, lookups } = resolveReference(written as JsonValue, targets, known);
  return [reference, lookups[0]].every((each) => each?.type === type && each.id === id);
}

/** Writes a reference in the form of `before`, else in the shortest form that keeps its meaning. */
export function encodeReference(
  reference: Reference,
  field: FieldDefinition,
  before: Raw | undefined,
  context: ReferenceContext,
): Raw {
  const { type, id } = reference;
  const short = shortTypeName(type);
  const forms: Readonly<Record<ReferenceForm, Raw>> = {
    bare: typeof before === 'number' && String(Number(id)) === id ? Number(id) : id,
    prefixed: `${short}/${id}`,
    'full prefix': `${type}/${id}`,
    explicit: { type: isRawMap(before) && isFullName(before.type) ? type : short, id },
  };
  const shortest: readonly ReferenceForm[] = context.byForm ? ['prefixed'] : ['bare', 'prefixed'];
  const formBefore = formOf(before);
  const form = [...(formBefore === undefined ? [] : [formBefore]), ...shortest].find((each) =>
    isLasting(forms[each], reference, field, context.known),
  );
  return forms[form ?? 'explicit'];
}

type ReferenceForm = 'bare' | 'prefixed' | 'full prefix' | 'explicit';

function formOf(before: Raw | undefined): ReferenceForm | undefined {
  if (isRawMap(before)) return 'explicit';
  const text = scalarText(before);
  if (text === undefined) return undefined;
  if (parsePrefixedReference(text) === undefined) return 'bare';
  return isFullName(text.split('/')[0]) ? 'full prefix' : 'prefixed';
}

/** True for `node--person`, whose short name is `person`. */
function isFullName(name: Raw | undefined): boolean {
  return typeof name === 'string' && name.startsWith('node--') && resourceTypeName(name) === name;
}

/** Writes an image or a file as a path in the file `from`, with a leading slash below `public/`. Paths stay as sent. */
export function encodeFileLink(value: JsonValue, before: Raw | undefined, from: string, field: string): Raw {
  const uri = isRecord(value) && isRecord(value.uri ?? null) ? (value.uri as typeof value).value : undefined;
  const location = typeof uri === 'string' ? fileAt(uri) : undefined;
  const isForeign = typeof uri === 'string' && SCHEME.test(uri) && !URL_SCHEME.test(uri);
  if (!isRecord(value) || typeof uri !== 'string' || (location === undefined && isForeign)) {
    throw new UnwritableChangeError([field], `\`uri.value\` of \`${field}\` does not name a file.`);
  }
  const path = location === undefined ? uri : writtenAs(location, from);
  const srcBefore = scalarText(isRawMap(before) ? before.src : before);
  const isBare = srcBefore !== undefined && !/^(?:\.|\/|https?:)/i.test(srcBefore) && path.startsWith('./');
  const src = isBare ? path.slice('./'.length) : path;
  const alt = typeof value.alt === 'string' ? value.alt : null;
  return alt === null && !isRawMap(before) ? src : { src, ...(alt !== null && { alt }) };
}

const URL_SCHEME = /^https?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
