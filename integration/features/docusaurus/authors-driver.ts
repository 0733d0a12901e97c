import {
  type FileChange,
  type FileHistory,
  isWritable,
  type StorageDriver,
  type StoredFile,
} from '../../core/storage/driver.ts';
import { RevisionConflictError, StorageError } from '../../core/storage/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { isListFile, readEntries, withEntry } from './author-entries.ts';

/**
 * A driver that shows each author in `blog/authors.yml` as a file: `blog/authors.yml/ada.yml`. Such files can be changed, which
 * changes only their lines in `authors.yml`. A `tags.yml` with tags is not shown.
 */
export function withAuthors<D extends StorageDriver>(driver: D): D {
  /** The only list whose authors are entities. Null without such a list, or if a folder is the bundle `authors`. */
  let owner: string | null = null;
  let hasFolder = false;
  /** The keys of authors by file, as they were last seen. */
  const seen = new Map<string, readonly string[]>();
  let dated:
    | { readonly from: ReadonlyMap<string, FileHistory>; readonly with: Map<string, FileHistory> }
    | undefined;

  async function textOf(file: string): Promise<string | undefined> {
    const bytes = await driver.read(file);
    return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  /** The files of a list; undefined for a file that is not a list. */
  async function filesOf(stored: StoredFile): Promise<readonly StoredFile[] | undefined> {
    const text = await textOf(stored.key);
    if (text === undefined || !isListFile(stored.key, text)) return undefined;
    const entries = stored.key === owner ? readEntries(text) : undefined;
    return [...(entries ?? [])].map(([name, entry]) => ({
      ...stored,
      key: `${stored.key}/${name}.yml`,
      size: encode(entry.text).byteLength,
    }));
  }

  async function look(stored: StoredFile): Promise<readonly StoredFile[] | undefined> {
    const files = await filesOf(stored);
    if (files === undefined) seen.delete(stored.key);
    else
      seen.set(
        stored.key,
        files.map(({ key }) => key),
      );
    return files;
  }

  async function stat(key: string): Promise<StoredFile | undefined> {
    const entry = entryAt(key);
    const stored = await driver.stat(entry?.file ?? key);
    if (stored === undefined || (entry === undefined && !LIST.test(key))) return stored;
    const files = await filesOf(stored);
    return entry === undefined
      ? files === undefined
        ? stored
        : undefined
      : files?.find((file) => file.key === key);
  }

  async function read(key: string): Promise<Uint8Array | undefined> {
    const entry = entryAt(key);
    if (entry === undefined) return driver.read(key);
    return entryOf(await textOf(entry.file), entry.name);
  }

  /** The changes of files that exist. */
  async function realChanges(changes: readonly FileChange[]): Promise<readonly FileChange[]> {
    const texts = new Map<string, { readonly text: string; readonly ifRevision: string | null }>();
    for (const { key, bytes, ifRevision } of changes) {
      const entry = entryAt(key);
      if (entry === undefined) continue;
      const { file, name } = entry;
      const stored = await driver.read(file);
      const before = texts.get(file) ?? {
        text: (await textOf(file)) ?? '',
        ifRevision: stored === undefined ? null : digestBytes(stored),
      };
      const present = entryOf(before.text, name);
      const revision = present === undefined ? null : digestBytes(present);
      if (ifRevision !== revision) throw new RevisionConflictError(key, revision);
      const text = withEntry(before.text, name, bytes && new TextDecoder().decode(bytes));
      const isList = text.trim() === '' || (isListFile(file, text) && readEntries(text) !== undefined);
      if (!isList || !key.endsWith('.yml')) {
        const detail = `${file} would no longer be a list of authors: each needs a name, a title, a url or an image_url.`;
        throw new StorageError('conflict', detail);
      }
      texts.set(file, { ...before, text });
    }
    const lists = [...texts].map(([key, { text, ifRevision }]) => ({
      key,
      bytes: text.trim() === '' ? null : encode(text),
      ifRevision,
    }));
    return [...changes.filter(({ key }) => entryAt(key) === undefined), ...lists];
  }

  const { history, past } = driver;
  const view: StorageDriver = {
    ...driver,
    async list() {
      const { files, skipped } = await driver.list();
      const lists = new Map<string, readonly StoredFile[]>();
      const unread = [];
      hasFolder = files.some(({ key }) => key.startsWith('authors/'));
      const authors = hasFolder ? [] : files.filter(({ key }) => AUTHORS.test(key));
      owner = null;
      for (const { key } of authors) {
        if (owner === null && isListFile(key, (await textOf(key)) ?? '')) owner = key;
      }
      for (const file of files.filter(({ key }) => LIST.test(key))) {
        const entries = await look(file);
        if (entries === undefined) continue;
        lists.set(file.key, entries);
        const reason =
          file.key === owner
            ? UNREADABLE
            : 'Its authors are not entities, because a bundle `authors` exists.';
        if (entries.length === 0 && AUTHORS.test(file.key)) unread.push({ key: file.key, reason });
      }
      if (lists.size === 0) return { files, skipped };
      const shown = files.flatMap((file) => lists.get(file.key) ?? [file]);
      return { files: shown.sort((a, b) => (a.key < b.key ? -1 : 1)), skipped: [...skipped, ...unread] };
    },
    stat,
    read,
    async expand(keys) {
      const all = new Set(keys);
      for (const key of keys.filter((each) => LIST.test(each))) {
        if (AUTHORS.test(key) && !hasFolder) owner ??= key;
        const before = seen.get(key) ?? [];
        const stored = await driver.stat(key);
        const files = stored === undefined ? [] : ((await look(stored)) ?? []);
        for (const each of [...before, ...files.map((file) => file.key)]) all.add(each);
      }
      return [...all];
    },
    ...(history && {
      async history() {
        const from = await history();
        if (seen.size === 0) return from;
        if (dated?.from !== from) dated = { from, with: new Map(from) };
        for (const [file, keys] of seen) {
          const dates = from.get(file);
          for (const key of dates === undefined ? [] : keys) dated.with.set(key, dates!);
        }
        return dated.with;
      },
    }),
    ...(past && {
      past() {
        const files = past();
        return {
          async read(key, commit) {
            const entry = entryAt(key);
            const found = await files.read(entry?.file ?? key, commit);
            if (entry === undefined || found === undefined) return found;
            const bytes = entryOf(new TextDecoder().decode(found.bytes), entry.name);
            return bytes && { ...found, bytes };
          },
          list: (key, most) => files.list(entryAt(key)?.file ?? key, most),
        };
      },
    }),
  };
  if (!isWritable(driver)) return view as D;
  const writable = {
    ...driver,
    ...view,
    async write(key: string, bytes: Uint8Array, when?: { readonly ifRevision: string | null }) {
      if (entryAt(key) === undefined) return driver.write(key, bytes, when);
      await this.writeAll([
        { key, bytes, ifRevision: when === undefined ? await revisionOf(key) : when.ifRevision },
      ]);
    },
    async remove(key: string, when?: { readonly ifRevision: string }) {
      if (entryAt(key) === undefined) return driver.remove(key, when);
      const ifRevision = when?.ifRevision ?? (await revisionOf(key));
      if (ifRevision !== null) await this.writeAll([{ key, bytes: null, ifRevision }]);
    },
    async writeAll(changes: readonly FileChange[]) {
      const real = await realChanges(changes);
      const [only] = real;
      if (only === undefined || real.length > 1) return driver.writeAll(real);
      const { key, bytes, ifRevision } = only;
      if (bytes !== null) await driver.write(key, bytes, { ifRevision });
      else if (ifRevision !== null) await driver.remove(key, { ifRevision });
    },
  };
  return writable;

  async function revisionOf(key: string): Promise<string | null> {
    const bytes = await read(key);
    return bytes === undefined ? null : digestBytes(bytes);
  }
}

function entryOf(text: string | undefined, name: string): Uint8Array | undefined {
  const entry = text === undefined ? undefined : readEntries(text)?.get(name);
  return entry && encode(entry.text);
}

function entryAt(key: string): { readonly file: string; readonly name: string } | undefined {
  const slash = key.lastIndexOf('/');
  const dot = key.lastIndexOf('.');
  const file = key.slice(0, Math.max(slash, 0));
  return AUTHORS.test(file) && dot > slash + 1 ? { file, name: key.slice(slash + 1, dot) } : undefined;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const LIST = /(?:^|\/)(?:authors|tags)\.ya?ml$/;
const AUTHORS = /(?:^|\/)authors\.yml$/;
const UNREADABLE = 'Its authors are not entities, because some are not written as a key with lines below it.';
