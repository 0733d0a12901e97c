import { isRecord } from './schema.ts';

/** An error object, as far as it is shown. */
export interface ShownError {
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  /** What of the request is at fault: a parameter of the URL, a place in the body, a header. */
  readonly parameter: string | undefined;
  readonly pointer: string | undefined;
  readonly header: string | undefined;
}

/** What the page takes out of an answer besides showing it whole. */
export interface DocumentFacts {
  readonly count: number | undefined;
  /** Primary resources in this answer. */
  readonly shown: number | undefined;
  readonly links: ReadonlyMap<string, string>;
  readonly errors: readonly ShownError[];
  /** Parameters that were sent in vain. */
  readonly ignored: readonly string[];
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** One text for each column; null where the resource has no such field or it is empty. */
  readonly cells: readonly (string | null)[];
  /** `links.self` of the resource. */
  readonly self: string | undefined;
}

/** Reads what is there; an answer of another shape has no facts. */
export function readFacts(document: unknown): DocumentFacts {
  const record = isRecord(document) ? document : {};
  const meta = isRecord(record.meta) ? record.meta : {};
  const { data } = record;
  return {
    count: typeof meta.count === 'number' ? meta.count : undefined,
    shown: Array.isArray(data) ? data.length : isRecord(data) ? 1 : undefined,
    links: readLinks(record.links),
    errors: readErrors(record.errors),
    ignored: Array.isArray(meta.ignored) ? meta.ignored.map(ignoredName) : [],
  };
}

/** `data` as a table: id, then attributes and relationships in the order in which resources bring them. */
export function tabulate(document: unknown): Table {
  const data = isRecord(document) ? document.data : undefined;
  const resources = (Array.isArray(data) ? data : [data]).filter(isRecord);
  const mixed = new Set(resources.map((resource) => resource.type)).size > 1;
  const columns = new Set<string>(mixed ? ['type', 'id'] : ['id']);
  const records = resources.map((resource) => {
    const cells = new Map<string, string | null>();
    if (mixed) cells.set('type', cellText(resource.type));
    cells.set('id', cellText(resource.id));
    const { attributes, relationships } = resource;
    for (const [name, value] of Object.entries(isRecord(attributes) ? attributes : {})) {
      cells.set(name, cellText(value));
    }
    for (const [name, value] of Object.entries(isRecord(relationships) ? relationships : {})) {
      cells.set(name, linkageText(isRecord(value) ? value.data : undefined));
    }
    for (const name of cells.keys()) columns.add(name);
    return { cells, self: readLinks(resource.links).get('self') };
  });
  const names = [...columns];
  return {
    columns: names,
    rows: records.map(({ cells, self }) => ({ cells: names.map((name) => cells.get(name) ?? null), self })),
  };
}

function readLinks(value: unknown): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const [name, link] of Object.entries(isRecord(value) ? value : {})) {
    const href = isRecord(link) ? link.href : link;
    if (typeof href === 'string') links.set(name, href);
  }
  return links;
}

function readErrors(value: unknown): readonly ShownError[] {
  return (Array.isArray(value) ? value : []).filter(isRecord).map((error) => {
    const source = isRecord(error.source) ? error.source : {};
    return {
      status: String(error.status ?? ''),
      title: String(error.title ?? 'Error'),
      detail: String(error.detail ?? ''),
      parameter: stringOf(source.parameter),
      pointer: stringOf(source.pointer),
      header: stringOf(source.header),
    };
  });
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function ignoredName(entry: unknown): string {
  return isRecord(entry) ? String(entry.parameter ?? JSON.stringify(entry)) : String(entry);
}

function cellText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) {
    return value.length === 0 ? null : value.map((item) => cellText(item) ?? '').join(', ');
  }
  if (!isRecord(value)) return String(value);
  if (typeof value.value === 'string') return value.value;
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return parts.length === 1 ? cellText(parts[0]?.[1]) : parts.length === 0 ? null : JSON.stringify(value);
}

function linkageText(data: unknown): string | null {
  if (Array.isArray(data))
    return data.length === 0 ? null : data.map((item) => linkageText(item) ?? '').join(', ');
  return isRecord(data) ? String(data.id ?? '') : null;
}
