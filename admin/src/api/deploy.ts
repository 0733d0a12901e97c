import { readResource, request, resourceIn, sendDocument } from './content.ts';
import { objectOf, type Resource } from './document.ts';

/** The published site, from `/jsonapi/_deploy`. */
export interface PublishedSite {
  /** When the build that visitors see began; undefined if that is not known. */
  readonly live: string | undefined;
  /** Why it is not known. */
  readonly problem: 'none' | 'unreachable' | undefined;
  /** The time of the newest commit; undefined for an account that does not see all entries. */
  readonly committed: string | undefined;
  /** Files that are saved and not committed. */
  readonly waiting: number | undefined;
  /** Saved files that the site does not have yet. */
  readonly changes: number | undefined;
  readonly build: SiteBuild | undefined;
  /** True if the account may start a build, and the server can. */
  readonly mayBuild: boolean;
}

export interface SiteBuild {
  readonly state: 'waiting' | 'running' | 'built' | 'live' | 'failed' | 'late';
  readonly started: string;
  readonly ended: string | undefined;
  readonly problem: string;
  readonly lines: readonly string[];
  /** True if another build follows. */
  readonly isAskedAgain: boolean;
}

/** How far a stored entry is. */
export interface PublishedEntry {
  /** The time of its newest commit; undefined without one. */
  readonly committed: string | undefined;
  /** Undefined if the content is not in git. */
  readonly isCommitted: boolean | undefined;
  readonly live: string | undefined;
  readonly problem: PublishedSite['problem'];
  readonly isPublished: boolean;
  /** True if it is published, and visitors see it as it is stored; undefined if that is not known. */
  readonly isLive: boolean | undefined;
  /** True if visitors see it, maybe an earlier version; undefined if that is not known. */
  readonly isVisible: boolean | undefined;
  /** The address of its page on the published site, if there is one. */
  readonly page: string | undefined;
}

const PATH = '/_deploy';

/** Throws RequestError. */
export async function readSite(): Promise<PublishedSite> {
  return siteOf(await readResource(PATH));
}

/** Throws RequestError. */
export async function startBuild(): Promise<PublishedSite> {
  return siteOf(resourceIn(await sendDocument('POST', PATH)));
}

/** `language` is that of a translation. Throws RequestError. */
export async function readEntry(
  { type, id }: Pick<Resource, 'type' | 'id'>,
  language: string | undefined,
): Promise<PublishedEntry> {
  const path = [PATH, ...type.split('--'), ...id.split('/').map(encodeURIComponent)].join('/');
  const query = language === undefined ? '' : `?langCode=${encodeURIComponent(language)}`;
  const { attributes } = resourceIn(await request(path + query));
  const { committed, isCommitted, isPublished, isLive, isVisible, page } = attributes;
  const { url, exists } = objectOf(page);
  return {
    ...liveOf(attributes),
    committed: textOf(objectOf(committed).time),
    isCommitted: flagOf(isCommitted),
    isPublished: isPublished === true,
    isLive: flagOf(isLive),
    isVisible: flagOf(isVisible),
    page: exists === true ? textOf(url) : undefined,
  };
}

function siteOf({ attributes, meta }: Resource): PublishedSite {
  const { committed, waiting, changes, build } = attributes;
  return {
    ...liveOf(attributes),
    committed: textOf(objectOf(committed).time),
    waiting: numberOf(waiting),
    changes: numberOf(changes),
    build: build === null ? undefined : buildOf(objectOf(build)),
    mayBuild: meta.mayBuild === true,
  };
}

const STATES: readonly SiteBuild['state'][] = ['waiting', 'running', 'built', 'live', 'late'];

function buildOf({
  state,
  started,
  ended,
  problem,
  lines,
  again,
}: Readonly<Record<string, unknown>>): SiteBuild {
  return {
    state: STATES.find((each) => each === state) ?? 'failed',
    started: String(started),
    ended: textOf(ended),
    problem: textOf(problem) ?? '',
    lines: Array.isArray(lines) ? lines.map(String) : [],
    isAskedAgain: again === true,
  };
}

function liveOf({
  live,
  problem,
}: Readonly<Record<string, unknown>>): Pick<PublishedSite, 'live' | 'problem'> {
  return {
    live: textOf(objectOf(live).time),
    problem: problem === 'none' || problem === 'unreachable' ? problem : undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
