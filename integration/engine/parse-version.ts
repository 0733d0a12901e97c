import { BadParameterError } from '../util/errors.ts';
import { isValues, type QueryNode } from './query-string.ts';

/** The parameter that says which version is asked for. Source: Drupal's JSON:API. */
export const VERSION_PARAMETER = 'resourceVersion';

/** Content in files is what its file says: there is no working copy beside it. */
export const PRESENT_VERSIONS: readonly string[] = ['rel:latest-version', 'rel:working-copy'];

/**
 * The hash, or its beginning, of `id:<commit>`; undefined for the present version. Throws BadParameterError for all
 * else, and for a past version where there are none (`past` false).
 */
export function parseVersion(node: QueryNode | undefined, past: boolean): string | undefined {
  if (node === undefined) return undefined;
  const version = isValues(node) ? (node.at(-1) ?? '') : '';
  if (PRESENT_VERSIONS.includes(version)) return undefined;
  const [, commit] = PAST_VERSION.exec(version) ?? [];
  if (past && commit !== undefined) return commit.toLowerCase();
  const sent = version.length > MAX_ECHOED ? `${version.slice(0, MAX_ECHOED)}…` : version;
  const choices = PRESENT_VERSIONS.join(', ');
  throw new BadParameterError(
    VERSION_PARAMETER,
    commit === undefined
      ? `There is no version '${sent}'. Versions: ${choices}, id:<hash of a commit>.`
      : `Past versions are read from a server, one resource at a time. Versions here: ${choices}.`,
  );
}

/** As long as a hash of SHA-256. Letters are `a` to `f`. */
const PAST_VERSION = /^id:([0-9a-f]{1,64})$/i;
const MAX_ECHOED = 80;
