import type { ContentFile } from './content-file.ts';
import type { Bundle, ContentIndex } from './content-index.ts';
import type { DecodedFile } from './decode/decode.ts';
import type { Preview } from './preview.ts';
import type { PlacedFile } from './read-files.ts';

export interface RecallDeps {
  readonly index: ContentIndex;
  decode(bundle: Bundle, file: ContentFile): DecodedFile | undefined;
  /** Looks up the files that decoding asked for in vain; answers whether there were any. */
  lookUp(): Promise<boolean>;
}

/**
 * Makes the entity that a file once was, by the fields that its bundle has now. What it refers to is as it is now, so that
 * targets and files that are gone are no errors of it. Nothing is kept of it.
 */
export async function recallFile({ role, result }: PlacedFile, deps: RecallDeps): Promise<Preview> {
  const found = result?.problems ?? [];
  const bundle = role.role === 'entity' ? deps.index.bundles.get(role.type) : undefined;
  const file = result?.file;
  if (bundle === undefined || file === undefined) return { entity: null, problems: found };
  let decoded = deps.decode(bundle, file);
  if (await deps.lookUp()) decoded = deps.decode(bundle, file);
  const problems = [...found, ...(decoded?.problems ?? [])];
  const wrong = problems.some(({ severity, code }) => severity === 'error' && !OF_OTHERS.test(code));
  return { entity: wrong ? null : (decoded?.entity ?? null), problems };
}

/** Problems that come of what else there is now. */
const OF_OTHERS = /^(reference|file|alias)\//;
