import type { Entity } from '../content/model.ts';
import { DomainError } from '../util/errors.ts';
import type { Preconditions } from './writer.ts';

/**
 * Whether an entity may be changed, by a tag that the actor was shown of it: `revision` (`meta.revision`; null where they
 * were shown none), or one of those that the preconditions know. Throws a 412 where it is another, and a 428 where `required` and nothing was said.
 * Source: RFC 9110, section 13.1; RFC 6585, section 3.
 */
export async function checkPreconditions(
  { ifMatch, ifNoneMatch, otherTags }: Preconditions,
  entity: Entity,
  revision: string | null,
  required: boolean,
): Promise<void> {
  const isNamed = async (header: string): Promise<boolean> =>
    names(header, revision === null ? [] : [revision]) ||
    (otherTags !== undefined && names(header, await otherTags(entity)));
  if (ifMatch !== null && !(await isNamed(ifMatch))) {
    throw failed('If-Match', 'The entity has changed meanwhile: read it again.');
  }
  if (ifNoneMatch !== null && (await isNamed(ifNoneMatch.replaceAll('W/', '')))) {
    throw failed('If-None-Match', 'The entity is there as it was named.');
  }
  if (required && ifMatch === null) {
    throw new DomainError(
      'precondition-required',
      'Changes need the header If-Match here, with meta.revision of the entity in quotation marks (option editing.requireIfMatch).',
      { source: { header: 'If-Match' } },
    );
  }
}

/** Strong comparison: a weak tag names nothing. */
function names(header: string, tags: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  const named = header.split(',').map((each) => each.trim());
  return tags.some((tag) => named.includes(`"${tag}"`));
}

function failed(header: string, detail: string): DomainError {
  return new DomainError('precondition-failed', detail, { source: { header } });
}
