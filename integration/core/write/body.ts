import type { FieldChanges } from '../content/encode/encode-file.ts';
import { bodyLength, bodyText, type Entity } from '../content/model.ts';
import { decodeEntities, hasImageToken, IMAGE_TOKEN } from '../source/image-tag.ts';
import { ForbiddenError, InvalidEntityError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import type { BodyCheck, ContentChecks, ErrorPlace, Writer } from './writer.ts';

/** Checks HTML in this process. Does not decode images, because nothing here limits the decoder's memory. */
export const ownChecks: ContentChecks = {
  async unsafeParts(html, stored) {
    // A large parser that only writes need.
    const { unsafeParts } = await import('./html/safe-html.ts');
    return unsafeParts(html, stored);
  },
  imageProblem: async () => undefined,
};

/** UTF-16 units of a body whose HTML is checked. */
const MAX_TEXT_UNITS = 500_000;

/**
 * Returns the check that a changed body needs. Throws ForbiddenError for new MDX without the permission `write mdx`, and
 * InvalidEntityError for a body that is never allowed.
 */
export function checkBody(
  { access }: Pick<Writer, 'access'>,
  changes: FieldChanges,
  entity: Entity | null,
  input: ErrorPlace,
): BodyCheck {
  const body = changes.body as { readonly value?: string | null; readonly format?: string } | undefined;
  if (body === undefined) return 'none';
  const { value } = body;
  const isUnchanged = value === undefined || (entity?.body && value === bodyText(entity.body));
  const isMdx = (entity?.body?.format ?? body.format) === 'mdx';
  if (isMdx && !(entity?.body && isUnchanged) && !access.has('write mdx')) {
    throw new ForbiddenError('MDX is code. To write it, you need the permission `write mdx`.');
  }
  if (typeof value !== 'string' || isUnchanged) return 'none';
  if (hasImageToken(decodeEntities(value.replaceAll('\\', '')))) throw tokenRefused(input);
  if (isMdx) return 'none';
  if (access.has('use raw html')) return 'rendering';
  if (value.length > MAX_TEXT_UNITS)
    throw refused(input, `A text can have at most ${MAX_TEXT_UNITS} characters.`);
  return 'html';
}

/**
 * Renders a body with the site's own renderer and checks the HTML. Throws InvalidEntityError if the body does not render,
 * or with the parts of its HTML that need the permission `use raw html` and are not in the body of `stored`.
 */
export async function checkRendered(
  { renderBody, checks }: BodyCheckDeps,
  check: BodyCheck,
  entity: Entity,
  input: ErrorPlace,
  stored: Entity | null = null,
): Promise<void> {
  if (check === 'none') return;
  const html = await renderBody(entity).catch((error: unknown) => {
    throw refused(input, `This text cannot be rendered: ${errorMessage(error)}`);
  });
  if (check === 'rendering') return;
  let parts = await checks.unsafeParts(html);
  if (parts !== null && parts.length > 0 && mayKeepHtml(stored)) {
    // A body that does not render has no HTML to keep.
    const before = await renderBody(stored).catch(() => '');
    parts = await checks.unsafeParts(html, before);
  }
  if (parts === null) throw refused(input, 'This text makes too much HTML. Split it into several texts.');
  if (parts.includes(IMAGE_TOKEN)) throw tokenRefused(input);
  if (parts.length === 0) return;
  throw refused(
    input,
    `This text has HTML that needs the permission \`use raw html\`: ${parts.join(', ')}. Remove it, or write it as code.`,
  );
}

/**
 * True if the body of an entity has what accounts without the permission `use raw html` may write. Its file is stored without a
 * request: its text as a whole is new.
 */
export async function isSafeBody(deps: BodyCheckDeps, entity: Entity): Promise<boolean> {
  if (entity.body === null) return true;
  const text = bodyText(entity.body);
  if (text.length > MAX_TEXT_UNITS || hasImageToken(decodeEntities(text.replaceAll('\\', '')))) return false;
  return checkRendered(deps, 'html', entity, { pointer: () => '' }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof InvalidEntityError) return false;
      throw error;
    },
  );
}

function mayKeepHtml(stored: Entity | null): stored is Entity {
  const body = stored?.body ?? null;
  return body?.format === 'markdown' && bodyLength(body) <= MAX_TEXT_UNITS;
}

interface BodyCheckDeps {
  renderBody(entity: Entity): Promise<string>;
  readonly checks: Pick<ContentChecks, 'unsafeParts'>;
}

function tokenRefused(input: ErrorPlace): InvalidEntityError {
  return refused(
    input,
    `A text cannot have \`${IMAGE_TOKEN}\`, because Astro puts an image in its place. Remove it.`,
  );
}

function refused({ pointer }: ErrorPlace, detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { pointer: pointer(['body', 'value']) } }]);
}
