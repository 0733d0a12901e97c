import type { Entity } from '../content/model.ts';
import { DomainError } from '../util/errors.ts';
import type { Preconditions } from './writer.ts';

/**
 * Compares the tags of a request with `revision` (`meta.revision`; null if the actor may not see the entity) and with
 * `otherTags`. Throws a `precondition-failed` error, or `precondition-required` if `required` and there is no `If-Match`.
 * Source: RFC 9110, section 13.1; RFC 6585, section 3.
 */
export async function checkPreconditions(
  when: Preconditions,
  entity: Entity,
  revision: string | null,
  required: boolean,
): Promise<void> {
  await checkTags(when, 'entity', revision, required, () => when.otherTags?.(entity));
}

/** The same for whatever `noun` is. */
export async function checkTags(
  { ifMatch, ifNoneMatch }: Preconditions,
  noun: 'entity' | 'file',
  revision: string | null,
  required: boolean,
  otherTags: () => Promise<readonly string[]> | undefined = () => undefined,
): Promise<void> {
  const matches = async (header: string): Promise<boolean> =>
    hasTag(header, revision === null ? [] : [revision]) || hasTag(header, (await otherTags()) ?? []);
  if (ifMatch !== null && !(await matches(ifMatch))) {
    const detail = ifMatch.includes('"')
      ? `The ${noun} has changed since you read it. Read it again.`
      : `If-Match must have meta.revision of the ${noun}, or its ETag, in quotation marks.`;
    throw failed('If-Match', detail);
  }
  if (ifNoneMatch !== null && (await matches(ifNoneMatch.replaceAll('W/', '')))) {
    throw failed('If-None-Match', `The ${noun} exists and has this tag.`);
  }
  if (required && ifMatch === null) {
    throw new DomainError(
      'precondition-required',
      `Changes need the header If-Match with meta.revision of the ${noun} in quotation marks (option editing.requireIfMatch).`,
      { source: { header: 'If-Match' } },
    );
  }
}

/** Strong comparison: a weak tag never matches. */
function hasTag(header: string, tags: readonly string[]): boolean {
  if (header.trim() === '*') return true;
  const sent = header.split(',').map((each) => each.trim());
  return tags.some((tag) => sent.includes(`"${tag}"`));
}

function failed(header: string, detail: string): DomainError {
  return new DomainError('precondition-failed', detail, { source: { header } });
}
