import type { FieldChanges } from '../content/encode/encode-file.ts';
import { bodyText, type Entity } from '../content/model.ts';
import { decodeEntities, hasImageToken, IMAGE_TOKEN } from '../source/image-tag.ts';
import { ForbiddenError, InvalidEntityError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import type { ContentChecks } from './content-checks.ts';
import { TooMuchHtmlError } from './html/safe-html.ts';
import type { EntityInput, Writer } from './writer.ts';

type Place = Pick<EntityInput, 'pointer'>;

/** UTF-16 units of a text whose HTML is checked. */
const MAX_TEXT_UNITS = 500_000;

/**
 * What a body has to pass before it is written: nothing if it is unchanged or MDX, rendering alone if its author may
 * write any HTML, else also the check of its HTML.
 */
type BodyCheck = 'none' | 'rendering' | 'html';

/**
 * The check that the body among the changes needs. Throws a 403 for new MDX without the permission `write mdx`, and a 422
 * for a text that no account may write.
 */
export function checkBody(
  { access }: Pick<Writer, 'access'>,
  changes: FieldChanges,
  entity: Entity | null,
  input: Place,
): BodyCheck {
  const body = changes.body as { readonly value?: string | null; readonly format?: string } | undefined;
  if (body === undefined) return 'none';
  const { value } = body;
  const isUnchanged = value === undefined || (entity?.body && value === bodyText(entity.body));
  const isMdx = (entity?.body?.format ?? body.format) === 'mdx';
  if (isMdx && !(entity?.body && isUnchanged) && !access.has('write mdx')) {
    throw new ForbiddenError('An MDX body is code that runs when it is rendered. You may not write one.');
  }
  if (typeof value !== 'string' || isUnchanged) return 'none';
  if (hasImageToken(decodeEntities(value.replaceAll('\\', '')))) throw tokenRefused(input);
  if (isMdx) return 'none';
  if (access.has('use raw html')) return 'rendering';
  if (value.length > MAX_TEXT_UNITS) throw refused(input, `A text may have ${MAX_TEXT_UNITS} characters.`);
  return 'html';
}

/**
 * Throws a 422 for a text that cannot be rendered, or that names the parts of its HTML that need the permission
 * `use raw html`. The site's own renderer makes the HTML, so the check reads the HTML that pages show.
 */
export async function checkRendered(
  { renderBody, checks }: BodyCheckDeps,
  check: BodyCheck,
  entity: Entity,
  input: Place,
): Promise<void> {
  if (check === 'none') return;
  const html = await renderBody(entity).catch((error: unknown) => {
    throw refused(input, `This text cannot be rendered: ${errorMessage(error)}`);
  });
  if (check === 'rendering') return;
  const parts = await checks.unsafeParts(html).catch((error: unknown) => {
    if (!(error instanceof TooMuchHtmlError)) throw error;
    throw refused(input, 'This text makes too much HTML. Split it into several texts.');
  });
  if (parts.includes(IMAGE_TOKEN)) throw tokenRefused(input);
  if (parts.length === 0) return;
  throw refused(
    input,
    `This text has HTML that needs the permission \`use raw html\`: ${parts.join(', ')}. Remove it, or write it as code.`,
  );
}

interface BodyCheckDeps {
  renderBody(entity: Entity): Promise<string>;
  readonly checks: Pick<ContentChecks, 'unsafeParts'>;
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
