import { isRecord } from '../schema.ts';

/** Work that goes on after an answer (202), as its `meta.job` tells. */
export interface Job {
  /** Such as `pending`; empty where it says nothing of it. */
  readonly state: string;
  /** Where its end is told. */
  readonly href: string | undefined;
  /** What it says besides: a commit, an error. */
  readonly details: readonly (readonly [name: string, text: string])[];
}

/** Undefined where a document tells of none. The status document of a job is read too. */
export function readJob(document: unknown): Job | undefined {
  const meta = isRecord(document) && isRecord(document.meta) ? document.meta : {};
  const { job } = meta;
  if (typeof job === 'string') return { state: '', href: job, details: [] };
  if (!isRecord(job)) return undefined;
  const links = isRecord(job.links) ? Object.values(job.links) : [];
  const hrefs = [job.href, job.link, ...links].map((link) => (isRecord(link) ? link.href : link));
  const state = STATES.map((name) => job[name]).find((value) => typeof value === 'string');
  return {
    state: typeof state === 'string' ? state : '',
    href: hrefs.find((href) => typeof href === 'string'),
    details: Object.entries(job).flatMap(([name, value]) =>
      TOLD.has(name) || (typeof value !== 'string' && typeof value !== 'number')
        ? []
        : [[name, String(value)] as const],
    ),
  };
}

const STATES = ['state', 'status'];
const TOLD: ReadonlySet<string> = new Set([...STATES, 'href', 'link', 'links']);
