import { isRecord } from '../../../integration/core/util/json.ts';
import type { FormCondition } from '../../../integration/features/admin/form-fields.ts';
import { objectOf } from '../api/document.ts';
import type { Part, Variant } from '../api/schema.ts';
import { isSame } from './document.ts';

/** Steps from the value of a field to a part of it. */
export type Path = readonly (string | number)[];

/** True if the value is shown as inputs of its properties, not as JSON. */
export function isForm(part: Part): boolean {
  return (part.kind === 'object' && part.properties.length > 0) || part.variants !== undefined;
}

export function variantOf(part: Part, value: unknown): Variant | undefined {
  const named = objectOf(value)[part.discriminator ?? ''];
  return part.variants?.find((variant) => variant.value === named);
}

/** The inputs of a value: the properties of the object, or of its variant. */
export function partsOf(part: Part, value: unknown): readonly Part[] {
  return part.variants === undefined ? part.properties : (variantOf(part, value)?.properties ?? []);
}

/** Fields with a smaller `order` first, then the given order. */
export function inOrder<Each extends Pick<Part, 'order'>>(parts: readonly Each[]): readonly Each[] {
  return parts.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0));
}

/** True if a condition holds for the values beside the input and those of the entry. */
export function holds(
  when: FormCondition | undefined,
  beside: Readonly<Record<string, unknown>>,
  entry: Readonly<Record<string, unknown>>,
): boolean {
  if (when === undefined) return true;
  const value: unknown = (when.ofEntry ? entry : beside)[when.field] ?? null;
  // An item of a list, and a switch that was never set, which is off.
  const has = (wanted: unknown) =>
    (Array.isArray(value) ? value : [value]).includes(wanted) || (wanted === false && value === null);
  if ('is' in when) return has(when.is);
  if ('not' in when) return !has(when.not);
  if ('in' in when) return when.in.some(has);
  return when.set === !(value === null || value === '' || isSame(value, []) || isSame(value, {}));
}

/** The value with another one at a property; null removes it. A new property is where `parts` have it. */
export function withProperty(
  value: unknown,
  name: string,
  next: unknown,
  parts: readonly Part[] = [],
): Readonly<Record<string, unknown>> {
  const { [name]: before, ...others } = objectOf(value);
  if (next === null) return others;
  if (before !== undefined) return { ...objectOf(value), [name]: next };
  const later = parts.slice(parts.findIndex((part) => part.name === name)).map((part) => part.name);
  const entries = Object.entries(others);
  const at = entries.findIndex(([each]) => later.includes(each));
  return Object.fromEntries(entries.toSpliced(at === -1 ? entries.length : at, 0, [name, next]));
}

/** The parts along a path as far as there are inputs for them. */
export function locate(
  part: Part,
  value: unknown,
  steps: Path,
): { readonly path: Path; readonly parts: readonly { readonly part: Part; readonly index?: number }[] } {
  const path: (string | number)[] = [];
  const parts: { part: Part; index?: number }[] = [];
  let [at, isItem, current]: [Part, boolean, unknown] = [part, !part.list, value];
  for (const step of steps) {
    if (!isItem) {
      const index = Number(step);
      if (!Number.isInteger(index)) break;
      path.push(index);
      parts.push({ part: at, index });
      current = Array.isArray(current) ? current[index] : undefined;
      isItem = true;
      continue;
    }
    const name = String(step);
    const next =
      at.entries && isRecord(current) ? at.entries : partsOf(at, current).find((each) => each.name === name);
    if (next === undefined) break;
    path.push(name);
    parts.push({ part: at.entries ? { ...next, name, label: name } : next });
    current = objectOf(current)[name];
    [at, isItem] = [next, !next.list];
  }
  return { path, parts };
}
