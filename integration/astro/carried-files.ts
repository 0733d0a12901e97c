import { contentFileKeys, hasFiles } from '../read/content-files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { FileFacts, FileSource } from '../storage/file-source.ts';

/** What a built server is told of files, by key. */
export interface CarriedFiles {
  /** Those whose bytes it carries: what entities name in the content folder. */
  readonly content: Readonly<Record<string, FileFacts>>;
  /** All of `public/`, since content that is changed later may name any of them. */
  readonly public: Readonly<Record<string, FileFacts>>;
}

/** More bytes than this in a build are worth a word. */
export const MANY_CARRIED_BYTES = 50e6;

export async function listCarriedFiles({ files, services }: Runtime): Promise<CarriedFiles> {
  const named = contentFileKeys(services.store);
  const wanted = hasFiles(services.store);
  return {
    content: await factsOf(files.content, named),
    public: await factsOf(files.public, wanted ? await files.public.keys() : []),
  };
}

/** Bytes of the files that are carried. */
export function carriedBytes({ content }: CarriedFiles): number {
  return Object.values(content).reduce((sum, { size }) => sum + size, 0);
}

async function factsOf(
  source: FileSource,
  keys: readonly string[],
): Promise<Readonly<Record<string, FileFacts>>> {
  const facts: [string, FileFacts][] = [];
  for (const key of keys) {
    const found = await source.facts(key);
    if (found !== undefined) facts.push([key, found]);
  }
  return Object.fromEntries(facts.map(([key, { size, width, height }]) => [key, { size, width, height }]));
}
