import { BadParameterError } from '../../util/errors.ts';
import { shortened } from '../../util/text.ts';
import { PRESENT_VERSIONS, VERSION_PARAMETER, WORKING_COPY } from './parse-query.ts';
import { lastValue, type QueryNode } from './query-string.ts';

/**
 * The commit hash, or its beginning, of `id:<commit>`; `WORKING_COPY` of a single resource (`isSingle`); undefined for the
 * current version. Throws BadParameterError for anything else, and for a past version of a list.
 */
export function parseVersion(node: QueryNode, isSingle: boolean): string | undefined {
  const version = lastValue(node) ?? '';
  if (PRESENT_VERSIONS.includes(version)) return isSingle && version === WORKING_COPY ? version : undefined;
  const [, commit] = PAST_VERSION.exec(version) ?? [];
  if (isSingle && commit !== undefined) return commit.toLowerCase();
  throw new BadParameterError(
    VERSION_PARAMETER,
    commit === undefined
      ? `There is no version '${shortened(version, MAX_ECHOED)}'. Versions: ${PRESENT_VERSIONS.join(', ')}, id:<hash of a commit>.`
      : `Only GET of a single resource on a server accepts a past version. Versions here: ${PRESENT_VERSIONS.join(', ')}.`,
  );
}

/** As long as a SHA-256 hash. */
const PAST_VERSION = /^id:([0-9a-f]{1,64})$/i;
const MAX_ECHOED = 80;
