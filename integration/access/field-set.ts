import type { FieldNames } from './role.ts';

/** Names of fields: these, or all but these. */
export interface FieldSet {
  readonly kind: 'only' | 'except';
  readonly names: ReadonlySet<string>;
}

export function fieldSet(names: FieldNames): FieldSet {
  return 'except' in names
    ? { kind: 'except', names: new Set(names.except) }
    : { kind: 'only', names: new Set(names) };
}

export function hasField({ kind, names }: FieldSet, name: string): boolean {
  return names.has(name) === (kind === 'only');
}

/** Whether the first has every field of the second, whatever fields there are. */
export function coversFields(all: FieldSet, some: FieldSet): boolean {
  if (all.kind === 'except') {
    return [...all.names].every((name) => !hasField(some, name));
  }
  return some.kind === 'only' && [...some.names].every((name) => all.names.has(name));
}
