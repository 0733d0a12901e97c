import { isRecord } from '../../../integration/core/util/json.ts';
export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON:API resource. */
export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: JsonObject;
  readonly relationships: JsonObject;
  readonly meta: JsonObject;
  readonly links: JsonObject;
}

/** An error object of a response. */
export interface ApiProblem {
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  /** What happened, for programs. */
  readonly code?: string;
  /** The part of the request at fault. */
  readonly source: { readonly parameter?: string; readonly pointer?: string; readonly header?: string };
  readonly meta?: JsonObject;
}

/** The parts of a response document that the page shows outside of the JSON. */
export interface DocumentFacts {
  readonly count: number | undefined;
  /** Number of primary resources in the document. */
  readonly resourceCount: number | undefined;
  readonly links: ReadonlyMap<string, string>;
  readonly errors: readonly ApiProblem[];
  /** Parameters that the API ignored. */
  readonly ignored: readonly string[];
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly {
    /** One text per column; null if the resource has no value there. */
    readonly cells: readonly (string | null)[];
    /** `links.self` of the resource. */
    readonly self: string | undefined;
  }[];
}

/** A job that continues after a 202 response. */
export interface Job {
  /** Such as `pending`; empty if unknown. */
  readonly state: string;
  readonly href: string | undefined;
  /** Further facts, such as the commit or the error. */
  readonly details: readonly (readonly [name: string, text: string])[];
}

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

export function readFacts(document: unknown): DocumentFacts {
  const { data, meta, links, errors } = objectOf(document);
  const { count, ignored } = objectOf(meta);
  return {
    count: typeof count === 'number' ? count : undefined,
    resourceCount: Array.isArray(data) ? data.length : isRecord(data) ? 1 : undefined,
    links: readLinks(links),
    errors: (Array.isArray(errors) ? errors : []).filter(isRecord).map((error) => ({
      status: String(error.status ?? ''),
      title: String(error.title ?? 'Error'),
      detail: String(error.detail ?? ''),
      source: objectOf(error.source),
      ...(typeof error.code === 'string' && { code: error.code }),
      ...(isRecord(error.meta) && { meta: error.meta }),
    })),
    ignored: Array.isArray(ignored)
      ? ignored.map((entry) => String(isRecord(entry) ? (entry.parameter ?? JSON.stringify(entry)) : entry))
      : [],
  };
}

/** `data` as a table: id and title, then the fields of the site, then the fields that every bundle has. */
export function tabulate(document: unknown): Table {
  const { data } = objectOf(document);
  const resources = (Array.isArray(data) ? data : [data]).filter(isRecord);
  const isMixed = new Set(resources.map(({ type }) => type)).size > 1;
  const records = resources.map(({ type, id, attributes, relationships, links }) => {
    const linkages = Object.entries(objectOf(relationships)).map(([name, value]): [string, string | null] => [
      name,
      linkageText(objectOf(value).data),
    ]);
    const values = Object.entries(objectOf(attributes)).map(([name, value]): [string, string | null] => [
      name,
      cellText(value),
    ]);
    const cells = new Map([...values, ...linkages, ['type', cellText(type)], ['id', cellText(id)]]);
    return { cells, self: readLinks(links).get('self') };
  });
  const first = isMixed ? ['type', 'id', 'title'] : ['id', 'title'];
  const names = new Set(records.flatMap(({ cells }) => [...cells.keys()]));
  const columns = [
    ...first.filter((name) => names.has(name)),
    ...[...names].filter((name) => !first.includes(name) && name !== 'type' && !BASE_FIELDS.includes(name)),
    ...BASE_FIELDS.filter((name) => names.has(name)),
  ];
  return {
    columns,
    rows: records.map(({ cells, self }) => ({ cells: columns.map((name) => cells.get(name) ?? null), self })),
  };
}

/** The job in `meta.job`, or the document itself if it is a job. */
export function readJob(document: unknown): Job | undefined {
  const { meta, data } = objectOf(document);
  if (isRecord(data) && data.type === 'job') {
    return jobOf({ ...(isRecord(data.attributes) ? data.attributes : data), links: data.links });
  }
  const { job } = objectOf(meta);
  return isRecord(job) ? jobOf(job) : undefined;
}

/** Fields of every bundle, which the table shows last. */
const BASE_FIELDS = ['status', 'created', 'changed', 'langcode', 'path', 'uid', 'body'];
const JOB_MEMBERS = ['status', 'state', 'href', 'links', 'id', 'type', 'created'];

function readLinks(value: unknown): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const [name, link] of Object.entries(objectOf(value))) {
    const href = isRecord(link) ? link.href : link;
    if (typeof href === 'string') links.set(name, href);
  }
  return links;
}

function cellText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return joined(value.map(cellText));
  if (!isRecord(value)) return String(value);
  if (typeof value.value === 'string') return value.value;
  const parts = Object.values(value).filter((part) => part !== null && part !== undefined);
  return parts.length === 1 ? cellText(parts[0]) : parts.length === 0 ? null : JSON.stringify(value);
}

function linkageText(data: unknown): string | null {
  if (Array.isArray(data)) return joined(data.map(linkageText));
  return isRecord(data) ? String(objectOf(data.meta).name ?? data.id ?? '') : null;
}

function joined(texts: readonly (string | null)[]): string | null {
  return texts.length === 0 ? null : texts.map((text) => text ?? '').join(', ');
}

function jobOf(job: JsonObject): Job {
  const links = objectOf(job.links);
  const hrefs = [links.self, job.href, ...Object.values(links)].map((link) =>
    isRecord(link) ? link.href : link,
  );
  const state = [job.status, job.state].find((value) => typeof value === 'string');
  return {
    state: state ?? '',
    href: hrefs.find((href) => typeof href === 'string'),
    details: Object.entries(job)
      .filter(([name, value]) => !JOB_MEMBERS.includes(name) && /^(?:string|number)$/.test(typeof value))
      .map(([name, value]) => [name, String(value)]),
  };
}
