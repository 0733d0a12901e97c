import { fromBase64 } from '../../core/util/base64.ts';
import { NotLoadedError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { type DeflatedFile, digestOf } from './format.ts';

/** Reads a file of a snapshot; undefined if it does not exist. `afresh` is true if a cache returned a damaged file. */
export type ReadFile = (name: string, afresh?: boolean) => Promise<Uint8Array | undefined>;

/** The files of a snapshot. Those that are loaded stay in memory. */
export interface SnapshotFiles {
  /** Bytes of the loaded files. */
  readonly size: number;
  /** The JSON of a loaded file. Throws NotLoadedError. */
  get(name: string): unknown;
  /** Throws NotLoadedError with all of the files that are not loaded. */
  require(names: readonly string[]): void;
  /** Loads files together. Throws MissingFileError. */
  load(names: readonly string[]): Promise<void>;
}

/** A file of the manifest does not exist or has another content: the snapshot was replaced, or is damaged. */
export class MissingFileError extends NotLoadedError {
  override readonly name = 'MissingFileError';
  readonly detail: string;

  constructor(file: string, problem: string) {
    super([file]);
    this.detail = `The file ${file} of the snapshot ${problem}.`;
  }
}

/** `packed` are the files that need not be read. */
export function createSnapshotFiles(
  read: ReadFile,
  packed: Readonly<Record<string, unknown>>,
): SnapshotFiles {
  const loaded = new Map(Object.entries(packed).filter(([, content]) => !isDeflated(content)));
  const loading = new Map<string, Promise<void>>();
  let size = 0;

  async function load(name: string): Promise<void> {
    const content = packed[name] ?? (await readJson(name));
    loaded.set(name, isDeflated(content) ? await inflate(content) : content);
  }

  async function readJson(name: string): Promise<unknown> {
    let bytes = await readFile(read, name);
    if (bytes !== undefined && !isIntact(name, bytes)) bytes = await readFile(read, name, true);
    if (bytes === undefined) throw new MissingFileError(name, 'is missing');
    if (!isIntact(name, bytes)) throw new MissingFileError(name, 'is damaged');
    size += bytes.length;
    return JSON.parse(decoder.decode(bytes));
  }

  return {
    get size() {
      return size;
    },
    get(name) {
      const content = loaded.get(name);
      if (content === undefined) throw new NotLoadedError([name]);
      return content;
    },
    require(names) {
      const missing = names.filter((name) => !loaded.has(name));
      if (missing.length > 0) throw new NotLoadedError(missing);
    },
    async load(names) {
      const loads = names.map((name) => {
        const running = loading.get(name) ?? load(name).finally(() => loading.delete(name));
        loading.set(name, running);
        return running;
      });
      await Promise.all(loads);
    },
  };
}

/** Throws ServiceUnavailableError if the file cannot be read. */
export async function readFile(
  read: ReadFile,
  name: string,
  afresh?: boolean,
): Promise<Uint8Array | undefined> {
  try {
    return await read(name, afresh);
  } catch (cause) {
    throw new ServiceUnavailableError(
      `The file ${name} of the snapshot cannot be read. Try again.`,
      1,
      cause,
    );
  }
}

/** Runs until all files that it needs are loaded. */
export async function untilLoaded<T>(files: SnapshotFiles, run: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof NotLoadedError) || error instanceof MissingFileError) throw error;
      await (error.loadCode?.() ?? files.load(error.files));
    }
  }
}

/** True if the bytes are those that the name of the file stands for. */
export function isIntact(name: string, bytes: Uint8Array): boolean {
  return name.endsWith(`.${digestOf(bytes)}.json`);
}

function isDeflated(content: unknown): content is DeflatedFile {
  return content instanceof Object && Object.hasOwn(content, 'deflated');
}

function inflate({ deflated }: DeflatedFile): Promise<unknown> {
  return new Response(
    new Blob([fromBase64(deflated)]).stream().pipeThrough(new DecompressionStream('deflate-raw')),
  ).json();
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
