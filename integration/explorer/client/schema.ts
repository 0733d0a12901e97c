import type { FieldKind } from '../../content/model.ts';

/** What the site's content offers: the answer of `schema.json`. */
export interface ExplorerSchema {
  readonly types: readonly ExplorerType[];
  /** The query language's operators, in the order to offer them. */
  readonly operators: readonly string[];
  /** Queries that a static site carries. */
  readonly staticQueries: readonly StaticQuery[];
  /** Whether the site can be searched for words. */
  readonly fulltext: boolean;
  /** Whether content can be changed here at all. */
  readonly writes: boolean;
  /** Whether somebody may be signed in. */
  readonly signIn: boolean;
}

export interface ExplorerType {
  /** `node--article`. */
  readonly name: string;
  readonly entityType: string;
  readonly bundle: string;
  /** Entities that the asker may see. */
  readonly count: number;
  readonly fields: readonly ExplorerField[];
}

/** What a query needs to know of a field. */
export interface QueryField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly list: boolean;
  /** Resource type names a reference may point to. */
  readonly targets: readonly string[];
  readonly properties: readonly ExplorerProperty[];
}

export interface ExplorerField extends QueryField {
  /** Whether every entity has it. */
  readonly required: boolean;
  /** What the site's schema calls it and says of it; empty where it says nothing. */
  readonly label: string;
  readonly description: string;
  /** The only values it may have; none where any will do. */
  readonly choices: readonly string[];
}

export interface ExplorerProperty {
  readonly name: string;
  readonly kind: FieldKind;
}

export interface StaticQuery {
  readonly name: string;
  /** `/node/article?filter…`. */
  readonly query: string;
  /** Of its document. */
  readonly url: string;
}

/** How the page was made: the content of its `<script type="application/json">`. */
export interface ExplorerConfig {
  /** Astro's `base`, without a slash at its end. */
  readonly base: string;
  readonly mode: 'server' | 'static';
}

const KINDS: Readonly<Record<FieldKind, true>> = {
  string: true,
  integer: true,
  number: true,
  decimal: true,
  boolean: true,
  date: true,
  datetime: true,
  reference: true,
  object: true,
  formatted_text: true,
  image: true,
  file: true,
  json: true,
};

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads `schema.json` leniently: what is missing is empty, so that an older or newer server still opens. */
export function readSchema(json: unknown): ExplorerSchema {
  const record = isRecord(json) ? json : {};
  return {
    types: records(record.types).map((type) => ({
      name: text(type.name),
      entityType: text(type.entityType),
      bundle: text(type.bundle),
      count: typeof type.count === 'number' ? type.count : 0,
      fields: records(type.fields).map((field) => ({
        name: text(field.name),
        kind: fieldKind(field.kind),
        list: field.list === true,
        targets: texts(field.targets),
        properties: records(field.properties).map((property) => ({
          name: text(property.name),
          kind: fieldKind(property.kind),
        })),
        required: field.required === true,
        label: text(field.label),
        description: text(field.description),
        choices: Array.isArray(field.choices) ? field.choices.map(String) : [],
      })),
    })),
    operators: texts(record.operators),
    staticQueries: records(record.staticQueries).map((query) => ({
      name: text(query.name),
      query: text(query.query),
      url: text(query.url),
    })),
    fulltext: record.fulltext !== false,
    writes: record.writes === true,
    signIn: record.signIn === true,
  };
}

/** Reads the page's own configuration. */
export function readConfig(json: unknown): ExplorerConfig {
  const record = isRecord(json) ? json : {};
  return { base: text(record.base), mode: record.mode === 'static' ? 'static' : 'server' };
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldKind(value: unknown): FieldKind {
  return isFieldKind(value) ? value : 'string';
}

function isFieldKind(value: unknown): value is FieldKind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value);
}
