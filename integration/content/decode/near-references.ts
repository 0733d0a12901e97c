import type { Diagnostic } from '../../source/diagnostic.ts';
import { closestName } from '../../util/closest-name.ts';
import type { ContentIndex } from '../content-index.ts';
import { missingEntity } from '../references.ts';
import { shortTypeName } from '../resource-type.ts';

/** How many references to nothing are held against all ids: each takes time, and nobody reads more. */
const MAX_GUESSES = 20;

/** The same problems, with what references to nothing most likely mean: `Did you mean person/ada?`. For authors alone. */
export function withNearReferences(
  diagnostics: readonly Diagnostic[],
  { bundles }: Pick<ContentIndex, 'bundles'>,
): readonly Diagnostic[] {
  let guesses = 0;
  return diagnostics.map((diagnostic) => {
    const missing = missingEntity(diagnostic);
    if (missing === undefined || guesses === MAX_GUESSES) return diagnostic;
    guesses += 1;
    const ids = bundles.get(missing.type)?.claims;
    const bare = withoutBundle(missing.id);
    const near = ids?.has(bare) ? bare : closestName(missing.id, ids?.keys() ?? []);
    return near === undefined
      ? diagnostic
      : { ...diagnostic, hint: `Did you mean \`${shortTypeName(missing.type)}/${near}\`?` };
  });
}

/** `persn/ada`, which names no bundle, is taken for an id with a slash. */
function withoutBundle(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
