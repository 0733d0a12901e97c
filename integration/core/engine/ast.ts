/** The 15 operators of Drupal's JSON:API filters, with what each compares with: a value, a text, a list, the ends of a range, nothing. */
export const OPERANDS = {
  '=': 'value',
  '<>': 'value',
  '>': 'value',
  '>=': 'value',
  '<': 'value',
  '<=': 'value',
  STARTS_WITH: 'text',
  CONTAINS: 'text',
  ENDS_WITH: 'text',
  IN: 'list',
  'NOT IN': 'list',
  BETWEEN: 'range',
  'NOT BETWEEN': 'range',
  'IS NULL': 'none',
  'IS NOT NULL': 'none',
} as const;
export type Operator = keyof typeof OPERANDS;
export const OPERATORS = Object.keys(OPERANDS) as readonly Operator[];
export type OperandKind = (typeof OPERANDS)[Operator];
export type OperatorWith<K extends OperandKind> = {
  [O in Operator]: (typeof OPERANDS)[O] extends K ? O : never;
}[Operator];

/** The value as written; `resolve` coerces it to the field's kind. */
export type Scalar = string | number | boolean;

export interface Condition {
  readonly kind: 'condition';
  /** Dotted: `field_author.field_boss.title`, `body.value`, `field_tags.0.id`. */
  readonly path: string;
  readonly operator: Operator;
  /** One value; a list for IN, NOT IN, BETWEEN and NOT BETWEEN; null for IS NULL and IS NOT NULL. */
  readonly value: Scalar | readonly Scalar[] | null;
  /** The parameter that errors name, such as `filter[x][condition][path]`. */
  readonly parameter?: string;
}

/** Every word of the text occurs somewhere in the entity's searchable fields. */
export interface Search {
  readonly kind: 'search';
  /** Words, and excluded words after a minus sign. */
  readonly text: string;
  /** The fields to search. All searchable ones by default. */
  readonly fields?: readonly string[];
  /** The operator SEARCH: finds parts of words too, and words with a typo. */
  readonly isTolerant?: boolean;
  /** One of the words is enough. */
  readonly isAny?: boolean;
  /** The operator RELATED_TO: `text` is the id of an entity, and those that have words, values and references in common match. */
  readonly isRelated?: boolean;
  /** The bundle of this entity, if it is known. */
  readonly type?: string | undefined;
  /** The document of a list also has `meta.search` and `meta.highlights`. */
  readonly highlight?: boolean;
  readonly parameter?: string;
}

export interface Group {
  readonly kind: 'group';
  readonly conjunction: 'AND' | 'OR';
  readonly members: readonly FilterNode[];
  /** Conditions of the group add to the relevance, as searches do: those that few entities meet add most. */
  readonly isRanked?: boolean;
}

/** The path of a search, unless the bundle has a field of that name. */
export const SEARCH_PATH = 'fulltext';

export type FilterNode = Condition | Search | Group;

export interface SortKey {
  readonly path: string;
  readonly direction: 'ASC' | 'DESC';
  readonly parameter?: string;
}

export interface Page {
  /** Entities to skip, from 0. */
  readonly offset: number;
  /** The maximum number of entities; `Infinity` for all. */
  readonly limit: number;
  /**
   * Present in lists of one type that have pages between cursors: entities after one, before one, or between two. The offset
   * is 0. A page before a cursor has the last entities of them.
   */
  readonly cursors?: { readonly after?: string; readonly before?: string };
}

/** The family of facets. It has a capital letter because JSON:API 1.1 reserves names without one. */
export const FACETS_PARAMETER = 'facetBy';
export const FACET_SORTS = ['count', 'value'] as const;
export const FACET_OPERATORS = ['and', 'or'] as const;
export const FACET_INTERVALS = ['year', 'month', 'day'] as const;
export type FacetInterval = (typeof FACET_INTERVALS)[number];

/** Counts the matching entities of each value at a path. */
export interface Facet {
  readonly path: string;
  /** The maximum number of terms. */
  readonly limit: number;
  /** The smallest count of a term. */
  readonly min: number;
  readonly sort: (typeof FACET_SORTS)[number];
  /** `or` leaves the conditions on the path that are outside of groups out of the counts. */
  readonly operator: (typeof FACET_OPERATORS)[number];
  /** Groups dates and date-times, in UTC. */
  readonly interval?: FacetInterval;
  /** Boundaries between groups of values, in any order. A boundary belongs to the group above it. */
  readonly ranges?: readonly Scalar[];
  readonly parameter?: string;
}

/** A parsed query, not yet resolved against the content. */
export interface Query {
  /** The root AND group. */
  readonly filter: Group;
  readonly sort: readonly SortKey[];
  readonly page: Page;
  readonly facets: readonly Facet[];
  /** Dotted paths in the order sent, without duplicates. */
  readonly include: readonly string[];
  /** True if `include` was sent, even empty. */
  readonly includeSent: boolean;
  /** Field names by resource type name, null prototype. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Ignored parameters, for `meta.ignored`. */
  readonly ignored: readonly string[];
  /** The commit hash of a past version, or its beginning, in lower case; or `rel:working-copy`. */
  readonly version?: string;
}

export const EMPTY_FILTER: Group = { kind: 'group', conjunction: 'AND', members: [] };
