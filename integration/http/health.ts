import type { CommitHealth } from '../write/commits.ts';

/**
 * What the health route answers; nothing of the content, which could tell of what is unpublished. The content has
 * loaded where this is asked; where it has not, the route is a 503.
 */
export interface HealthDocument {
  readonly status: 'ok' | 'error';
  /** Seconds since the process began. */
  readonly uptime: number;
  /** Given where changes are committed: whether commits and pushes are made when they are due. */
  readonly git?: CommitHealth;
}

export function healthDocument(status: HealthDocument['status'], git?: CommitHealth): HealthDocument {
  return { status, uptime: Math.floor(performance.now() / 1000), ...(git && { git }) };
}

/** A monitor wants to know how it is now. */
export const HEALTH_HEADERS = { 'cache-control': 'no-store' } as const;
