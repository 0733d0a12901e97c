import { isRecord } from '../../../integration/core/util/json.ts';

interface Reference {
  readonly type: string;
  readonly id: string;
}

/** The entity of a reference as files have it: `jane`, `person/jane` or `{ type: person, id: jane }`. */
export function referenceIn(written: unknown, targets: readonly string[]): Reference | undefined {
  if (isRecord(written)) {
    const { type, collection = type, id } = written;
    return collection === undefined || id === undefined
      ? undefined
      : { type: fullName(String(collection)), id: String(id) };
  }
  if (typeof written !== 'string' && typeof written !== 'number') return undefined;
  const [first = '', ...rest] = String(written).split('/');
  if (rest.length > 0 && (targets.length === 0 || targets.includes(fullName(first))))
    return { type: fullName(first), id: rest.join('/') };
  const [only] = targets;
  return only === undefined ? undefined : { type: only, id: String(written) };
}

/** The shortest form that means the entity. */
export function writtenReference(reference: unknown, targets: readonly string[]): unknown {
  if (!isRecord(reference)) return null;
  const { type, id } = reference as { readonly type?: unknown; readonly id?: unknown };
  const short = String(type).replace(/^node--/, '');
  return targets.length === 1 && !String(id).includes('/') ? id : `${short}/${id}`;
}

function fullName(type: string): string {
  return type.includes('--') ? type : `node--${type}`;
}
