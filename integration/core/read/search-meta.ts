import type { Entity } from '../content/model.ts';
import type { SearchMeta } from './document-types.ts';
import type { MatchContext } from './reader.ts';

/** What searches for these texts have found on a page. Undefined without the feature that knows. */
export async function searchMeta(
  context: MatchContext,
  texts: readonly string[],
  entities: readonly Entity[],
): Promise<SearchMeta | undefined> {
  const describeMatches = await context.services.features?.describeMatches?.();
  return describeMatches?.(context, texts.join(' '), entities);
}
