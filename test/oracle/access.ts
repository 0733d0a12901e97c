import type { FilterNode } from '../../integration/engine/ast.ts';
import type { QueryAccess } from '../../integration/engine/engine.ts';

const PUBLISHED: FilterNode = { kind: 'condition', path: 'status', operator: '=', value: true };

/** Sees everything. */
export const SEES_ALL: QueryAccess = { visibility: () => null, fieldVisible: () => true };

/** Sees published content, like anonymous. */
export const SEES_PUBLISHED: QueryAccess = { visibility: () => PUBLISHED, fieldVisible: () => true };
