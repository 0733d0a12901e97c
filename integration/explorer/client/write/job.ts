import { isRecord } from '../schema.ts';

/** Work that goes on after an answer (202). */
export interface Job {
  /** Such as `pending`; empty where nothing is said of it. */
  readonly state: string;
  /** Where its end is told. */
  readonly href: string | undefined;
  /** What is said besides: a commit, an error. */
  readonly details: readonly (readonly [name: string, text: string])[];
}

/** The job that an answer tells of in `meta.job`, or that the document itself is; undefined where there is none. */
export function readJob(document: unknown): Job | undefined {
  if (!isRecord(document)) return undefined;
  const { meta, data } = document;
  if (isRecord(data) && data.type === 'job') {
    return jobOf({ ...(isRecord(data.attributes) ? data.attributes : data), links: data.links });
  }
  return isRecord(meta) && isRecord(meta.job) ? jobOf(meta.job) : undefined;
}

function jobOf(job: Readonly<Record<string, unknown>>): Job {
  const links = isRecord(job.links) ? job.links : {};
  const hrefs = [links.self, job.href, ...Object.values(links)].map((link) =>
    isRecord(link) ? link.href : link,
  );
  const state = [job.status, job.state].find((value) => typeof value === 'string');
  return {
    state: state ?? '',
    href: hrefs.find((href) => typeof href === 'string'),
    details: Object.entries(job).flatMap(([name, value]) =>
      TOLD.has(name) || (typeof value !== 'string' && typeof value !== 'number')
        ? []
        : [[name, String(value)] as const],
    ),
  };
}

const TOLD: ReadonlySet<string> = new Set(['status', 'state', 'href', 'links', 'id', 'type', 'created']);
