import type { CommitHealth } from '../write/commits.ts';

/**
 * The answer of the health route. It says nothing of the content, which could reveal unpublished entities, and names no
 * paths. If the content could not be loaded, the route answers 503.
 */
export interface HealthDocument {
  readonly status: 'ok' | 'error';
  /** Seconds since the process began. */
  readonly uptime: number;
  /** Present if changes are committed. */
  readonly git?: CommitHealth;
}

export function healthDocument(status: HealthDocument['status'], git?: CommitHealth): HealthDocument {
  return { status, uptime: Math.floor(performance.now() / 1000), ...(git && { git }) };
}

/** 503 if commits are behind: a person has to look. */
export function healthStatus(git: CommitHealth | undefined): 200 | 503 {
  return git?.commits === 'behind' ? 503 : 200;
}

/** A monitor wants to know how it is now. */
export const HEALTH_HEADERS = { 'cache-control': 'no-store' } as const;
