import { ApiError } from '../errors.ts';
import type { Preconditions } from './writer.ts';

/**
 * Whether a change may go on, by the tag that the actor was last shown of the entity (`meta.revision`, the `ETag` of its
 * plain GET); undefined where there is no entity yet. Throws a 412 where it is another, and a 428 where `required` and
 * nothing was said. Source: RFC 9110, section 13.1; RFC 6585, section 3.
 */
export function checkPreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  tag: string | undefined,
  required: boolean,
): void {
  if (ifMatch !== null && !(tag !== undefined && names(ifMatch, tag))) {
    throw failed(
      'If-Match',
      tag === undefined ? 'There is no such entity.' : 'The entity has changed meanwhile: read it again.',
    );
  }
  if (ifNoneMatch !== null && tag !== undefined && names(ifNoneMatch.replaceAll('W/', ''), tag)) {
    throw failed('If-None-Match', 'The entity is there as it was named.');
  }
  if (required && tag !== undefined && ifMatch === null) {
    throw new ApiError({
      status: 428,
      title: 'Precondition Required',
      detail:
        'Changes need the header If-Match here, with meta.revision of the entity in quotation marks (option requireMatch).',
      source: { header: 'If-Match' },
    });
  }
}

/** Strong comparison: a weak tag names nothing. */
function names(header: string, tag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((named) => named.trim() === `"${tag}"`);
}

function failed(header: string, detail: string): ApiError {
  return new ApiError({ status: 412, title: 'Precondition Failed', detail, source: { header } });
}
