import type { FilterNode, Page, SortKey } from '../engine/ast.ts';
import type { AsOption } from './as-option.ts';

/** The state of a builder, which is immutable. */
export interface QuerySpec extends AsOption {
  /** As the caller wrote it. */
  readonly bundle: string;
  /** Members of the root AND group. */
  readonly filter: readonly FilterNode[];
  readonly sort: readonly SortKey[];
  readonly page: Page;
  readonly include: readonly string[];
  /** Undefined for all fields. */
  readonly fields: readonly string[] | undefined;
}
