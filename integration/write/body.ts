import type { FieldChanges } from '../entities/encode/encode-file.ts';
import { bodyText, type Entity } from '../entities/model.ts';
import { ForbiddenError, InvalidEntityError } from '../errors.ts';
import { TooMuchEffortError } from './html/effort.ts';
import type { EntityInput, Writer } from './writer.ts';

/** UTF-16 units of a text that is rendered to be checked. */
const MAX_TEXT_UNITS = 500_000;

type Place = Pick<EntityInput, 'pointer'>;

interface BodyRendering {
  renderBody(entity: Entity): Promise<string>;
}

/**
 * The changes with a body that the actor may write. Without the permission `use raw html`, what a browser could run is
 * taken out of a text that is not the one there is, also what others had written in it. Throws a 403 for other MDX than
 * there is where it is not the actor's to write, and a 422 for a text that cannot be cleaned.
 */
export async function cleanBody(
  { access }: Pick<Writer, 'access'>,
  changes: FieldChanges,
  entity: Entity | null,
  input: Place,
): Promise<CleanedBody> {
  const body = changes.body as { readonly value?: string | null; readonly format?: string } | undefined;
  if (body === undefined) return { changes, isCleaned: false };
  const { value } = body;
  const stays = value === undefined || (entity?.body && value === bodyText(entity.body));
  if ((entity?.body?.format ?? body.format) === 'mdx') {
    if ((entity?.body && stays) || access.has('write mdx')) return { changes, isCleaned: false };
    throw new ForbiddenError('An MDX body is code that runs when it is rendered. You may not write one.');
  }
  if (typeof value !== 'string' || stays || access.has('use raw html')) return { changes, isCleaned: false };
  // Much code, which who only reads never needs; here as below.
  const { cleanMarkdown, MAX_CLEANED_UNITS } = await import('./html/clean-markdown.ts');
  if (value.length > MAX_TEXT_UNITS) throw refused(input, `A text may have ${MAX_TEXT_UNITS} characters.`);
  const cleaned = within(() => cleanMarkdown(value));
  if (cleaned === undefined) {
    throw refused(
      input,
      `The HTML of this text cannot be cleaned. Write it more simply, and in fewer than ${MAX_CLEANED_UNITS} characters.`,
    );
  }
  return { changes: { ...changes, body: { ...body, value: cleaned } }, isCleaned: true };
}

export interface CleanedBody {
  readonly changes: FieldChanges;
  /** Whether `checkRendered` has to agree with what became of it. */
  readonly isCleaned: boolean;
}

/** Throws a 422 for a new text that cannot be rendered. MDX is rendered by the modules of a build. */
export async function checkRenders(
  { renderBody }: BodyRendering,
  before: Entity | null,
  entity: Entity,
  input: Place,
): Promise<void> {
  if (entity.body === null || entity.body.format === 'mdx') return;
  if (before?.body && bodyText(before.body) === bodyText(entity.body)) return;
  await renderBody(entity).catch((error: unknown) => {
    throw refused(input, `This text cannot be rendered: ${error instanceof Error ? error.message : error}`);
  });
}

/** Throws a 422 where the site makes HTML of a body that a browser could run: no parser but the site's own decides. */
export async function checkRendered(
  { renderBody }: BodyRendering,
  entity: Entity,
  input: Place,
): Promise<void> {
  const html = await renderBody(entity);
  const { unsafePart } = await import('./html/safe-html.ts');
  const part = within(() => unsafePart(html) ?? null);
  if (part === null) return;
  throw refused(
    input,
    part === undefined
      ? 'The HTML of this text lies too deep to be checked, or is too much. Write it more simply.'
      : `Rendered, this text has ${part}, which needs the permission \`use raw html\`. Leave it out.`,
  );
}

function refused({ pointer }: Place, detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { pointer: pointer(['body', 'value']) } }]);
}

/** Undefined where time or the stack does not reach, as with thousands of quotes in one another. */
function within<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TooMuchEffortError) return undefined;
    throw error;
  }
}
