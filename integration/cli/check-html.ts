import type { Services } from '../api/services.ts';
import { bodyText, type Entity } from '../content/model.ts';
import { type Diagnostic, FILE_START, type Position, positionIn } from '../source/diagnostic.ts';

import { readBytes } from '../storage/stored-bytes.ts';
import { errorMessage } from '../util/text.ts';
import { unsafeParts } from '../write/html/safe-html.ts';
import type { Terminal } from './command.ts';
import { createProgress } from './progress.ts';

/**
 * Warnings for the parts of all Markdown bodies that need the permission `use raw html`, in the HTML that the site's
 * renderer makes of them. MDX is left out: it is code.
 */
export async function checkHtml(
  { store, renderBody }: Pick<Services, 'store' | 'renderBody'>,
  folder: string,
  terminal: Terminal,
): Promise<readonly Diagnostic[]> {
  const entities = [...store.types.keys()]
    .flatMap((name) => store.entities(name))
    .filter(({ body }) => body?.format === 'markdown');
  const progress = createProgress({ verb: 'Checking', noun: 'bodies', folder }, terminal);
  progress.start(entities.length);
  const problems: Diagnostic[] = [];
  try {
    for (const entity of entities) {
      progress.step();
      problems.push(...(await problemsOf(entity, renderBody)));
    }
  } finally {
    progress.done();
  }
  return problems;
}

async function problemsOf(
  entity: Entity,
  renderBody: Services['renderBody'],
): Promise<readonly Diagnostic[]> {
  const warning = (code: string, part: string, message: string): Diagnostic => ({
    ...{ severity: 'warning', code, key: entity.key, message },
    ...placeOf(part, entity),
  });
  try {
    const parts = unsafeParts(await renderBody(entity));
    return parts === null
      ? [warning('body/unchecked-html', '', 'The body makes too much HTML to be checked.')]
      : parts.map((part) => warning('body/raw-html', part, `${part} needs the permission \`use raw html\`.`));
  } catch (error) {
    return [warning('body/unchecked-html', '', errorMessage(error))];
  }
}

/** The place of the name or value that a part begins with. The start of the body if the body does not have it. */
function placeOf(part: string, { body }: Entity): Position {
  if (body === null) return FILE_START;
  const [, written = ''] = WRITTEN.exec(part) ?? [];
  const offset = bodyText(body).toLowerCase().indexOf(written.toLowerCase());
  const text = decoder.decode(readBytes(body.file, 0, body.end));
  return positionIn(text, text.length - bodyText(body).length + Math.max(offset, 0));
}

/** `<script` of `<script>` and `misplaced <script>`, `onclick` of `onclick of <p>`, and `javascript:` of a URL. */
const WRITTEN = /^(?:misplaced )?"?([^\s">]{1,20})/;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
