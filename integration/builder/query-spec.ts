import type { FilterNode, Page, SortKey } from '../engine/ast.ts';
import type { AccessOption } from './access-option.ts';

/** What a builder has been told so far. Never changed: a builder that is told more has a new one. */
export interface QuerySpec extends AccessOption {
  /** As the caller named it. */
  readonly bundle: string;
  /** Members of the root AND group. */
  readonly filter: readonly FilterNode[];
  readonly sort: readonly SortKey[];
  readonly page: Page;
  readonly include: readonly string[];
  /** Undefined for every field. */
  readonly fields: readonly string[] | undefined;
}
