import type { FieldChanges } from '../entities/encode/encode-file.ts';
import { decodeEntities, hasImageToken, IMAGE_TOKEN } from '../entities/image-tag.ts';
import { bodyText, type Entity } from '../entities/model.ts';
import { ForbiddenError, InvalidEntityError } from '../errors.ts';
import { isTooMuch, MAX_TEXT_UNITS } from './html/effort.ts';
import type { EntityInput, Writer } from './writer.ts';

type Place = Pick<EntityInput, 'pointer'>;

/**
 * Checks whether the actor may write the body among the changes. Returns true if `checkRendered` must check its HTML: the
 * text is new, and the actor does not have the permission `use raw html`. Throws a 403 for new MDX without the permission
 * `write mdx`, and a 422 for a text that no account may write.
 */
export function checkBody(
  { access }: Pick<Writer, 'access'>,
  changes: FieldChanges,
  entity: Entity | null,
  input: Place,
): boolean {
  const body = changes.body as { readonly value?: string | null; readonly format?: string } | undefined;
  if (body === undefined) return false;
  const { value } = body;
  const isUnchanged = value === undefined || (entity?.body && value === bodyText(entity.body));
  const isMdx = (entity?.body?.format ?? body.format) === 'mdx';
  if (isMdx && !(entity?.body && isUnchanged) && !access.has('write mdx')) {
    throw new ForbiddenError('An MDX body is code that runs when it is rendered. You may not write one.');
  }
  if (typeof value !== 'string' || isUnchanged) return false;
  if (hasImageToken(decodeEntities(value.replaceAll('\\', '')))) throw tokenRefused(input);
  if (isMdx || access.has('use raw html')) return false;
  if (isTooMuch(value)) {
    throw refused(
      input,
      `A text may have ${MAX_TEXT_UNITS} characters, and not too many signs of markup without an empty line between them.`,
    );
  }
  return true;
}

/**
 * Throws a 422 that names the parts of the body's HTML that need the permission `use raw html`. The site's own renderer
 * makes the HTML, so the check reads the HTML that pages show.
 */
export async function checkRendered(
  { renderBody }: { renderBody(entity: Entity): Promise<string> },
  entity: Entity,
  input: Place,
): Promise<void> {
  const html = await renderBody(entity).catch((error: unknown) => {
    throw refused(input, `This text cannot be rendered: ${error instanceof Error ? error.message : error}`);
  });
  // A large parser, which a server that only answers reads does not need.
  const { TooMuchHtmlError, unsafeParts } = await import('./html/safe-html.ts');
  let parts: readonly string[];
  try {
    parts = unsafeParts(html);
  } catch (error) {
    if (!(error instanceof TooMuchHtmlError)) throw error;
    throw refused(input, 'This text makes too much HTML. Split it into several texts.');
  }
  if (parts.includes(IMAGE_TOKEN)) throw tokenRefused(input);
  if (parts.length === 0) return;
  throw refused(
    input,
    `This text has HTML that needs the permission \`use raw html\`: ${parts.join(', ')}. Remove it, or write it as code.`,
  );
}

function tokenRefused(input: Place): InvalidEntityError {
  return refused(
    input,
    `A text cannot have \`${IMAGE_TOKEN}\`, because Astro puts an image in its place. Remove it.`,
  );
}

function refused({ pointer }: Place, detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { pointer: pointer(['body', 'value']) } }]);
}
