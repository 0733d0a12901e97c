import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EXPLORER_PATH } from '../api/routes.ts';
import type { Services } from '../api/services.ts';

import { staticContentFiles, staticDocuments } from '../api/static/documents.ts';
import { adminPage } from '../runtime/admin-page.ts';
import type { RuntimeLog } from '../runtime/runtime.ts';
import { type CarriedFiles, carriedBytes, MANY_CARRIED_BYTES } from './carried-files.ts';
import { writeStaticDocuments } from './write-static-documents.ts';

/** Ends a build whose content has errors, after they have been printed. */
export function refuseErrors({ diagnostics }: Services): void {
  const errors = diagnostics().filter(({ severity }) => severity === 'error').length;
  if (errors > 0) throw new ContentError(errors);
}

class ContentError extends Error {
  override readonly name = 'ContentError';
  constructor(errors: number) {
    super(`The content has ${errors === 1 ? 'an error' : `${errors} errors`}: see above. Nothing is built.`);
    // The stack would lead into this package, where nothing is wrong.
    this.stack = this.message;
  }
}

/** Says it where a built server carries much. */
export function warnOfCarriedBytes(files: CarriedFiles, log: RuntimeLog): void {
  const bytes = carriedBytes(files);
  if (bytes <= MANY_CARRIED_BYTES) return;
  log.warn(
    `The files beside the content that its fields name have ${bytesAsText(bytes)}, all of which the built server carries. Keep large ones in public/.`,
  );
}

/** Writes what a site without a server answers into the folder of the build. */
export async function writeSiteDocuments(services: Services, dir: string, log: RuntimeLog): Promise<void> {
  const { files, bytes, ms } = await writeStaticDocuments(staticDocuments(services), dir);
  log.info(
    `${files} JSON ${files === 1 ? 'document' : 'documents'} written, ${bytesAsText(bytes)}, in ${msAsText(ms)}`,
  );
  const copied = await writeStaticDocuments(staticContentFiles(services), dir);
  if (copied.files === 0) return;
  log.info(
    `${copied.files} content ${copied.files === 1 ? 'file' : 'files'} copied, ${bytesAsText(copied.bytes)}`,
  );
}

/** Writes the query explorer of a site without a server. */
export async function writeExplorer(base: string, dir: string): Promise<void> {
  const page = path.join(dir, EXPLORER_PATH, 'index.html');
  await mkdir(path.dirname(page), { recursive: true });
  await writeFile(page, adminPage({ base, mode: 'static' }));
}

function bytesAsText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function msAsText(ms: number): string {
  return ms < 1e3 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`;
}
