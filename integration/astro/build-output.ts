import type { Services } from '../core/api/request.ts';
import { CROP_SUFFIX } from '../core/content/file-location.ts';
import { contentFileKeys, hasFiles } from '../core/read/content-files.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import type { RuntimeLog } from '../core/runtime/site.ts';
import { formatBytes } from '../core/runtime/write-documents.ts';
import type { CarriedFacts, FileFacts, FileSource } from '../core/storage/file-source.ts';
import { blobHash } from '../core/util/blob-hash.ts';
import { FEATURES } from '../features.ts';

/** Ends a build with errors in the content, after they were printed. */
export function checkErrors({ diagnostics }: Services): void {
  const errors = diagnostics().filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  const count = errors === 1 ? 'an error' : `${errors} errors`;
  const error = new Error(`The content has ${count}: see above. Nothing is built.`);
  error.name = 'ContentError';
  // A stack of this package does not help.
  error.stack = error.message;
  throw error;
}

/** Files that a built server contains, by key. */
export interface CarriedFiles {
  /** Files in the content folder that entities name, with their bytes. */
  readonly content: Readonly<Record<string, CarriedFacts>>;
  /** All files in `public/`, because later changes of the content can name any of them. */
  readonly public: Readonly<Record<string, FileFacts>>;
}

const CARRIED_KEYS = FEATURES.flatMap(({ carries = [] }) => carries);
const carriedOf = new WeakMap<Runtime, Promise<CarriedFiles>>();

/** The files of a build. They are listed once. */
export function carriedFiles(runtime: Runtime): Promise<CarriedFiles> {
  const carried = carriedOf.get(runtime) ?? listCarriedFiles(runtime);
  carriedOf.set(runtime, carried);
  return carried;
}

async function listCarriedFiles({ files, services: { store } }: Runtime): Promise<CarriedFiles> {
  return {
    content: await factsOf(files.content, [
      ...contentFileKeys(store).flatMap((key) => [key, key + CROP_SUFFIX]),
      ...CARRIED_KEYS,
    ]),
    public: await factsOf(
      files.public,
      hasFiles(store) ? (await files.public.list()).map(({ key }) => key) : [],
    ),
  };
}

/** The same with the hashes of the files in git, by which a server finds out which of them are still the same. */
export async function withBlobs({ files }: Runtime, carried: CarriedFiles): Promise<CarriedFiles> {
  const content: Record<string, CarriedFacts> = {};
  for (const [key, facts] of Object.entries(carried.content)) {
    const bytes = await files.content.read(key);
    content[key] = bytes === undefined ? facts : { ...facts, blob: await blobHash(bytes) };
  }
  return { ...carried, content };
}

async function factsOf(
  source: FileSource,
  keys: readonly string[],
): Promise<Readonly<Record<string, FileFacts>>> {
  const entries: [string, FileFacts][] = [];
  for (const key of keys) {
    const facts = await source.facts(key);
    if (facts === undefined) continue;
    const { size, width, height } = facts;
    entries.push([key, { size, width, height }]);
  }
  return Object.fromEntries(entries);
}

/** Bytes that are worth a warning. */
const MANY_BYTES = 50e6;

/** Warns if a built server contains large files. */
export async function checkCarriedBytes(runtime: Runtime, log: RuntimeLog): Promise<void> {
  const { content } = await carriedFiles(runtime);
  const bytes = Object.values(content).reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MANY_BYTES) return;
  log.warn(
    `The built server contains ${formatBytes(bytes)} of files next to the content that fields name. Move large files to public/.`,
  );
}
