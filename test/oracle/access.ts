import fc from 'fast-check';
import type { FilterNode } from '../../integration/core/engine/ast.ts';
import type { QueryAccess } from '../../integration/core/engine/engine.ts';

const PUBLISHED: FilterNode = { kind: 'condition', path: 'status', operator: '=', value: true };

/** Sees everything. */
export const SEES_ALL: QueryAccess = { visibility: () => null, fieldVisible: () => true };

/** Sees published content, like anonymous. */
export const SEES_PUBLISHED: QueryAccess = { visibility: () => PUBLISHED, fieldVisible: () => true };

export const ACCESSES = { all: SEES_ALL, published: SEES_PUBLISHED };

export function accesses(): fc.Arbitrary<keyof typeof ACCESSES> {
  return fc.constantFrom('all', 'published');
}

/** The language of sources in this content is the empty string. */
export function languageAccesses(): fc.Arbitrary<{
  name: keyof typeof ACCESSES;
  languages: readonly string[];
  strict: boolean;
}> {
  const languages = fc.constantFrom([], ['fr'], ['fr', 'de'], ['de', 'fr'], ['', 'fr'], ['fr', '', 'de']);
  return fc.record({ name: accesses(), languages, strict: fc.boolean() });
}
