import { readFileSync } from 'node:fs';
import { ANONYMOUS } from '../../../core/access/actor.ts';
import { publishedServices } from '../../../core/api/published.ts';
import type { Services, StaticDocument, StaticDocuments } from '../../../core/api/request.ts';
import { urlOf } from '../../../core/content/file-location.ts';
import { CONTENT_FILES_PREFIX } from '../../../core/content/model.ts';
import { isBodyFile, visibleContentFileKeys } from '../../../core/read/content-files.ts';
import type { Reader } from '../../../core/read/reader.ts';
import type { ApiSettings } from '../../../core/read/settings.ts';
import { searchLanguages } from '../../../core/runtime/open-full-text.ts';
import type { AstroProject, RuntimeLog } from '../../../core/runtime/site.ts';
import { formatBytes, formatTime, writeDocuments } from '../../../core/runtime/write-documents.ts';
import { isImage } from '../../../core/storage/file-source.ts';
import { counted } from '../../../core/util/text.ts';
import { type Omission, type Reduction, staticDocuments, withinBounds } from '../documents/documents.ts';
import { SERVICE_WORKER_FILE, SNAPSHOT_PATH } from '../format.ts';
import { type SnapshotOptions, snapshotFiles } from '../write.ts';
import { withoutPosition } from './image-position.ts';
import { type BuiltOutput, readOutput } from './read-output.ts';

/** Writes the documents of a site, what its scripts use, and the content files that these name. */
export async function writeSite(project: AstroProject, dir: string, log: RuntimeLog): Promise<void> {
  const { services } = await project.runtime();
  const output = await readOutput(dir, services.settings);
  checkUsed(output, services);
  const hasSnapshot = writesSnapshot(services, output.client !== undefined);
  const { services: bounded, reduction } = await withinBounds(services);
  const files = await chooseFiles(services, output, hasSnapshot);
  const start = performance.now();
  const results: { readonly noun: string; readonly files: number; readonly bytes: number }[] = [];
  const written = async (noun: string, documents: StaticDocuments) => {
    const result = await writeDocuments(documents, dir);
    if (result.files > 0) results.push({ noun, ...result });
  };
  await written(DOCUMENT, withPresentFiles(staticDocuments(bounded), files, services.settings));
  if (hasSnapshot) await written('file of the snapshot', snapshotDocuments(project, services));
  await written('content file', contentFileDocuments(services, files.copied));
  if (results.length === 0) return;
  const bytes = results.reduce((sum, each) => sum + each.bytes, 0);
  const parts = results.map(({ files, noun }) => counted(files, noun, noun.replace(/(?= of )|$/, 's')));
  log.info(
    `Published ${parts.join(', ')}: ${formatBytes(bytes)}, in ${formatTime(performance.now() - start)}`,
  );
  if (reduction) log.warn(describeReduction(reduction, services.settings));
  if (files.left === 0 || !results.some(({ noun }) => noun === DOCUMENT)) return;
  const them = files.left === 1 ? 'it' : 'them';
  log.info(
    `Not published: ${counted(files.left, 'content file')} that only fields name, so documents have no address for ${them}. Option static: { files: true } publishes ${them}.`,
  );
}

const DOCUMENT = 'JSON document';

function describeReduction({ omitted, most, isEnough }: Reduction, { static: files }: ApiSettings): string {
  if (!files || typeof files.documents !== 'object') throw new Error('Without bounds, nothing is left out.');
  const names = new Intl.ListFormat('en').format(omitted.map((each) => OMITTED[each]));
  const reason =
    most.files === undefined
      ? `be larger than ${files.documents.megabytes} MB`
      : `be ${most.files} files, and at most ${files.documents.files} are allowed`;
  const rest = isEnough ? '' : ' The others are still too many or too large.';
  return `Left out of the JSON documents: ${names}, because all would ${reason}.${rest} Option static: { documents: true } writes everything, and static: { documents: { files, megabytes } } sets other bounds.`;
}

const OMITTED: Readonly<Record<Omission, string>> = {
  bodies: 'bodies in collections',
  documents: 'the files of single entities',
  languages: 'documents in other languages than the default one',
};

/** Throws an Error that shows the options to change if pages use what the build does not write. */
function checkUsed({ client, worker, openapi, explorer }: BuiltOutput, { settings }: Services): void {
  const { api, static: files } = settings;
  const isWritten = api !== false && files !== false;
  const uses: readonly (readonly [
    user: string | undefined,
    needs: string,
    isThere: boolean,
    line: string,
  ])[] = [
    [client, 'astro-jsonapi/client', isWritten && files?.queries !== false, 'static: { queries: true }'],
    [worker, SERVICE_WORKER_FILE, isWritten && files?.worker === true, 'static: { worker: true }'],
    [openapi, 'the OpenAPI description', isWritten && files?.openapi === true, 'static: { openapi: true }'],
    [explorer, 'the query explorer', isWritten && settings.explorer, 'explorer: true'],
  ];
  const missing = uses.flatMap(([user, needs, isThere, line]) => {
    if (user === undefined || isThere) return [];
    const hint = isWritten
      ? `jsonapi({ ${line} })`
      : `jsonapi({ ${line} }), and remove ${api === false ? 'api: false' : 'static: false'}`;
    return [`${user} uses ${needs}, which this build does not write. In astro.config: ${hint}.`];
  });
  if (missing.length > 0) throw new Error(missing.join('\n'));
}

interface ChosenFiles {
  /** Keys of the content files that the build copies. */
  readonly copied: ReadonlySet<string>;
  /** The number of visible content files that it does not copy. */
  readonly left: number;
}

/** All visible content files, or those that pages and the bodies of documents show. */
async function chooseFiles(
  services: Services,
  { contentFiles }: BuiltOutput,
  hasSnapshot: boolean,
): Promise<ChosenFiles> {
  const { api, static: files } = services.settings;
  const isWritten = api !== false && files !== false;
  const all = await visibleContentFileKeys(services, services.access(ANONYMOUS));
  const isCopied = (key: string) =>
    contentFiles.has(key) ||
    (isWritten && ((files?.files ?? hasSnapshot) || isBodyFile(services.store, key)));
  const copied = new Set(all.filter(isCopied));
  return { copied, left: all.length - copied.size };
}

/** Documents whose fields have an address only for content files that the site has. */
async function* withPresentFiles(
  documents: StaticDocuments,
  { copied, left }: ChosenFiles,
  { base }: Pick<ApiSettings, 'base'>,
): StaticDocuments {
  if (left === 0) return yield* documents;
  const start = `"url":"${base}${CONTENT_FILES_PREFIX}/`;
  const present = new Set([...copied].map((key) => urlOf({ source: 'content', key }, base)));
  for await (const { path, write } of documents) {
    yield {
      path,
      async write() {
        const bytes = Buffer.from(await write());
        if (!bytes.includes(start)) return bytes;
        const text = bytes
          .toString()
          .replace(URL_MEMBER, (member, url) =>
            member.startsWith(start) && !present.has(url) ? '"url":null' : member,
          );
        return Buffer.from(text);
      },
    };
  }
}

const URL_MEMBER = /"url":"([^"]*)"/g;

/** Images are without the position at which they were taken. */
export async function* contentFileDocuments(services: Reader, keys: Iterable<string>): StaticDocuments {
  for (const key of keys) {
    const bytes = await services.files.read(key);
    if (bytes === undefined) continue;
    const path = `${CONTENT_FILES_PREFIX.slice(1)}/${key}`;
    yield { path, write: async () => (isImage(key) ? withoutPosition(bytes) : bytes) };
  }
}

export function snapshotOptions({ options, settings }: AstroProject): SnapshotOptions {
  const { form, locale, languages } = settings();
  return { form, search: searchLanguages(options, locale, languages) };
}

/** Whether the build writes a snapshot. `isUsed` is true if a script of the site uses it. */
function writesSnapshot({ settings: { api, explorer, static: files } }: Services, isUsed: boolean): boolean {
  if (api === false || files === false) return false;
  return files?.queries ?? (isUsed || explorer || files?.worker === true);
}

/** The snapshot of a site, and its service worker if that is on. */
export async function* snapshotDocuments(
  project: AstroProject,
  services: Services,
): AsyncGenerator<StaticDocument> {
  if (!writesSnapshot(services, true)) return;
  const { base, prefix = '', static: files } = services.settings;
  const folder = `${prefix}${SNAPSHOT_PATH}`.slice(1);
  for await (const { name, bytes } of snapshotFiles(publishedServices(services), snapshotOptions(project))) {
    yield { path: `${folder}/${name}`, write: async () => bytes };
  }
  if (files === undefined || files === false || files.worker !== true) return;
  const worker = new TextEncoder().encode(serviceWorker(`${base}${prefix}/jsonapi`));
  // In the root, because a worker only controls pages in and below its folder.
  yield { path: SERVICE_WORKER_FILE, write: async () => worker };
}

/** The service worker of a static site, for the API at a path such as `/docs/jsonapi`. */
function serviceWorker(api: string): string {
  // The build puts the file into `dist/admin/explorer`, next to the compiled folders of the package.
  const folder = import.meta.url.endsWith('.ts')
    ? '../../../../dist/admin/explorer/'
    : '../../../admin/explorer/';
  const text = readFileSync(new URL(`${folder}service-worker.js`, import.meta.url), 'utf8');
  // `fetch.ts` reads the name.
  return `const __ASTRO_JSONAPI__ = ${JSON.stringify(api)};\n${text}`;
}
