import type { Services } from '../../integration/core/api/request.ts';
import { createReadingServer } from '../../integration/features/reading.ts';
import type { SnapshotHandler } from '../../integration/features/static/answer.ts';
import { openSnapshot } from '../../integration/features/static/open.ts';
import { createSiteHandler, type OpenSite, type Site } from '../../integration/features/static/site.ts';
import { type SnapshotOptions, snapshotFiles } from '../../integration/features/static/write.ts';

/** A snapshot in memory, and a handler that reads it. */
export interface TestSnapshot extends SnapshotReader {
  /** Bytes by name. */
  readonly files: Map<string, Uint8Array>;
  /** Another handler, which has read nothing. */
  open(): SnapshotReader;
}

interface SnapshotReader {
  readonly handle: SnapshotHandler;
  /** The names of the files that were read, in order. */
  readonly reads: string[];
}

/** Sizes that divide some hundred entities as the default divides ten thousand. */
export const SMALL_FILES = { block: 4000, bodies: 4000, words: 600, vocabulary: 100, ids: 64, recent: 16 };

export type TestSnapshotOptions = Partial<Pick<SnapshotOptions, 'search' | 'sizes'>> & {
  /** The code that reads the snapshot. Default: the sources. */
  readonly openSite?: OpenSite;
};

/** The code that browsers load. */
export async function bundledSite(): Promise<{ readonly openSite: OpenSite }> {
  return import(new URL('../../dist/browser/site.js', import.meta.url).href);
}

export async function createTestSnapshot(
  services: Services,
  { openSite, ...options }: TestSnapshotOptions = {},
): Promise<TestSnapshot> {
  const defaults = { form: 'test', search: { language: 'en', languages: {} } } as const;
  const files = new Map<string, Uint8Array>();
  for await (const { name, bytes } of snapshotFiles(services, { ...defaults, ...options }))
    files.set(name, bytes);
  const open = () => {
    const reads: string[] = [];
    const read = async (name: string) => {
      reads.push(name);
      return files.get(name);
    };
    const handle =
      openSite === undefined
        ? createSiteHandler(openSnapshot(read), async () => createReadingServer)
        : handlerOf(openSite(read));
    return { handle, reads };
  };
  return { files, open, ...open() };
}

function handlerOf(site: Site): SnapshotHandler {
  const passedOn = new Response();
  return async (request) => {
    const response = await site.answer(request, 'own', async () => passedOn);
    return response === passedOn ? undefined : response;
  };
}
