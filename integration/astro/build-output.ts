import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EXPLORER_PATH } from '../core/api/paths.ts';
import { publishedServices } from '../core/api/published.ts';
import type { Services, StaticDocument } from '../core/api/request.ts';
import { contentFileKeys, hasFiles } from '../core/read/content-files.ts';
import { searchLanguages } from '../core/runtime/open-full-text.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import type { RuntimeLog } from '../core/runtime/site.ts';
import type { CarriedFacts, FileFacts, FileSource } from '../core/storage/file-source.ts';
import { blobHash } from '../core/util/blob-hash.ts';
import { adminFiles, serviceWorker } from '../features/admin/admin-page.ts';
import {
  hasManyEntities,
  staticContentFiles,
  staticDocuments,
} from '../features/static/documents/documents.ts';
import { SERVICE_WORKER_FILE, SNAPSHOT_PATH } from '../features/static/format.ts';
import { type SnapshotOptions, snapshotFiles } from '../features/static/write.ts';
import type { Project } from './project.ts';

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

const carriedOf = new WeakMap<Runtime, Promise<CarriedFiles>>();

/** The files of a build. They are listed once. */
export function carriedFiles(runtime: Runtime): Promise<CarriedFiles> {
  const carried = carriedOf.get(runtime) ?? listCarriedFiles(runtime);
  carriedOf.set(runtime, carried);
  return carried;
}

const snapshotOf = new WeakMap<Runtime, Promise<ReadonlyMap<string, string>>>();

/**
 * The texts of the files of a snapshot by name. Empty if pages see bundles that are not in the API.
 */
export function carriedSnapshot(project: Project, runtime: Runtime): Promise<ReadonlyMap<string, string>> {
  const carried = snapshotOf.get(runtime) ?? readSnapshot(project, runtime.services);
  snapshotOf.set(runtime, carried);
  return carried;
}

async function readSnapshot(project: Project, services: Services): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (publishedServices(services) !== services) return texts;
  const decoder = new TextDecoder();
  for await (const { name, bytes } of snapshotFiles(services, snapshotOptions(project))) {
    texts.set(name, decoder.decode(bytes));
  }
  return texts;
}

function snapshotOptions({ options, settings }: Pick<Project, 'options' | 'settings'>): SnapshotOptions {
  const { form, locale, languages } = settings();
  return { form, search: searchLanguages(options, locale, languages) };
}

async function listCarriedFiles({ files, services: { store } }: Runtime): Promise<CarriedFiles> {
  return {
    content: await factsOf(files.content, contentFileKeys(store)),
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

/** Writes the documents, files, and explorer of a site without a server into the folder of the build. */
export async function writeSite(project: Project, dir: string, log: RuntimeLog): Promise<void> {
  const { services } = await project.runtime();
  const { base, prefix = '', explorer } = project.settings();
  const { files, bytes, ms } = await writeDocuments(staticDocuments(services), dir);
  if (files > 0) {
    log.info(
      `${files} JSON ${files === 1 ? 'document' : 'documents'} written, ${formatBytes(bytes)}, in ${formatTime(ms)}`,
    );
  }
  if (files > 0 && (await hasManyEntities(services))) {
    log.info(
      'Entities have no files of their own, because there are more than option static.documents says. Pages read them from the snapshot.',
    );
  }
  const copied = await writeDocuments(staticContentFiles(services), dir);
  if (copied.files > 0) {
    const noun = copied.files === 1 ? 'file' : 'files';
    log.info(`${copied.files} content ${noun} copied, ${formatBytes(copied.bytes)}`);
  }
  const isQueryable = await writeSnapshot(project, dir, log);
  // The explorer reads the documents.
  if (!explorer || files === 0) return;
  const folder = path.join(dir, prefix + EXPLORER_PATH);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of adminFiles({ base, prefix, mode: isQueryable ? 'snapshot' : 'files' })) {
    await writeFile(path.join(folder, name), text);
  }
}

/** Writes the files from which the site's pages answer queries. Resolves to false if the options leave them out. */
async function writeSnapshot(project: Project, dir: string, log: RuntimeLog): Promise<boolean> {
  const { services } = await project.runtime();
  if (!hasSnapshot(services)) return false;
  const written = await writeDocuments(snapshotDocuments(project, services), dir);
  log.info(
    `Snapshot for queries: ${written.files} files, ${formatBytes(written.bytes)}, in ${formatTime(written.ms)}`,
  );
  return true;
}

function hasSnapshot({ settings: { api, static: files } }: Services): boolean {
  return api !== false && files !== false && files?.queries !== false;
}

/** The snapshot of a site and its service worker; none if the options leave them out. */
export async function* snapshotDocuments(
  project: Pick<Project, 'options' | 'settings'>,
  services: Services,
): AsyncGenerator<StaticDocument> {
  if (!hasSnapshot(services)) return;
  const { base, prefix = '' } = services.settings;
  const folder = `${prefix}${SNAPSHOT_PATH}`.slice(1);
  for await (const { name, bytes } of snapshotFiles(publishedServices(services), snapshotOptions(project))) {
    yield { path: `${folder}/${name}`, write: async () => bytes };
  }
  const worker = new TextEncoder().encode(serviceWorker(`${base}${prefix}/jsonapi`));
  // In the root, because a worker only controls pages in and below its folder.
  yield { path: SERVICE_WORKER_FILE, write: async () => worker };
}

function formatTime(ms: number): string {
  return ms < 1e3 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Totals of the written files. */
export interface WriteResult {
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
}

/** Writes documents below a folder, a limited number at a time. Stops at the first failure and throws it. */
export async function writeDocuments(
  documents: AsyncIterable<StaticDocument>,
  directory: string,
): Promise<WriteResult> {
  const start = performance.now();
  const root = path.resolve(directory);
  const remaining = documents[Symbol.asyncIterator]();
  let [files, bytes] = [0, 0];
  let hasFailed = false;

  async function write(document: StaticDocument): Promise<void> {
    const file = path.join(root, document.path);
    if (!file.startsWith(root + path.sep)) throw new Error(`'${document.path}' is outside of ${root}.`);
    const body = await document.write();
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, body);
    files += 1;
    bytes += body.byteLength;
  }

  async function writeRemaining(): Promise<void> {
    try {
      for (let next = await remaining.next(); !next.done && !hasFailed; next = await remaining.next()) {
        await write(next.value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, writeRemaining));
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return { files, bytes, ms: performance.now() - start };
}

const CONCURRENCY = 32;
