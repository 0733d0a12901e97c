/** The 15 operators of Drupal's JSON:API filters, upper case only. */
export const OPERATORS = [
  '=',
  '<>',
  '>',
  '>=',
  '<',
  '<=',
  'STARTS_WITH',
  'CONTAINS',
  'ENDS_WITH',
  'IN',
  'NOT IN',
  'BETWEEN',
  'NOT BETWEEN',
  'IS NULL',
  'IS NOT NULL',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** As a client or a program writes it; `resolve` coerces it to the field's kind. */
export type Scalar = string | number | boolean;

export interface Condition {
  readonly kind: 'condition';
  /** Dotted: `field_author.field_boss.title`, `body.value`, `field_tags.0.id`. */
  readonly path: string;
  readonly operator: Operator;
  /** One value; a list for IN, NOT IN, BETWEEN and NOT BETWEEN; null for IS NULL and IS NOT NULL. */
  readonly value: Scalar | readonly Scalar[] | null;
  /** The parameter to name in an error, such as `filter[x][condition][path]`. */
  readonly parameter?: string;
}

/** Every word of the text occurs somewhere in the entity's searchable fields, as `store/full-text` reads them. */
export interface Search {
  readonly kind: 'search';
  /** As written: words, and words that must not occur behind a minus sign. */
  readonly text: string;
  readonly parameter?: string;
}

export interface Group {
  readonly kind: 'group';
  readonly conjunction: 'AND' | 'OR';
  readonly members: readonly FilterNode[];
}

/** The path that asks for a search, unless the bundle has a field of that name. */
export const SEARCH_PATH = 'fulltext';

export type FilterNode = Condition | Search | Group;

export interface SortKey {
  readonly path: string;
  readonly direction: 'ASC' | 'DESC';
  readonly parameter?: string;
}

export interface Page {
  /** Entities to pass over, from 0. */
  readonly offset: number;
  /** Entities to answer at most; `Infinity` for all. */
  readonly limit: number;
}

/** A parsed query: what was asked, before anything is known of the content. */
export interface Query {
  /** The root AND group. */
  readonly filter: Group;
  readonly sort: readonly SortKey[];
  readonly page: Page;
  /** Dotted paths in the order sent, without duplicates. */
  readonly include: readonly string[];
  /** Whether `include` was sent at all, even empty. */
  readonly includeSent: boolean;
  /** Field names by resource type name, null prototype. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Parameters sent in vain, for `meta.ignored`. */
  readonly ignored: readonly string[];
  /** Hash of a commit, or its beginning, in lower case, where a past version is asked for. */
  readonly version?: string;
}

export const EMPTY_FILTER: Group = { kind: 'group', conjunction: 'AND', members: [] };
