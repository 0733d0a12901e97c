import { ANONYMOUS } from '../../core/access/actor.ts';
import { fileId } from '../../core/content/file-id.ts';
import { CROP_SUFFIX, isServable, uriOf } from '../../core/content/file-location.ts';
import { FILE_TYPE_NAME } from '../../core/content/file-resource.ts';
import { layoutOf } from '../../core/content/layout.ts';
import { createLedger, type GoneEntity } from '../../core/content/ledger.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import { canSeeFile, filesOf } from '../../core/read/content-files.ts';
import { fileOfKey, normalizeKey } from '../../core/storage/key.ts';
import { ConflictError, InvalidEntityError, NotFoundError } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { extensionOf } from '../../core/write/file-types.ts';
import { checkTags } from '../../core/write/preconditions.ts';
import { createStagedFiles } from '../../core/write/staged-files.ts';
import { reload, writeFiles } from '../../core/write/transaction.ts';
import type { WriterSteps } from '../../core/write/writer.ts';
import type { FileCommands } from './file-commands.ts';
import { createPathRewriter, type Moves } from './rewrite-paths.ts';
import { checkMayChangeFile, folderName, NO_BUNDLE } from './stored-files.ts';

/** Bytes of files that one request may move: the journal has them twice. */
export const MAX_MOVED_BYTES = 100_000_000;
/** Entities that are searched before the event loop continues. */
const ENTITIES_AT_ONCE = 200;

/**
 * The command that moves files and changes every path of them in the content. All files change or none, also if the process
 * dies, and in one commit.
 */
export function createMoveFiles({ deps, transact }: WriterSteps): Pick<FileCommands, 'moveFiles'> {
  const { driver, store, reader } = deps;

  /** Stages the files and their crops under their new keys. */
  async function stageFiles(moves: Moves, staged: Staged): Promise<void> {
    let size = 0;
    for (const [key, to] of moves) {
      const bytes = await driver.read(key);
      if (bytes === undefined) throw new NotFoundError(`The file '${key}' does not exist.`);
      if (!moves.has(to) && (await driver.stat(to)) !== undefined) {
        throw new ConflictError(`There is a file '${to}' already. Choose another name or folder.`, AT_URI);
      }
      size += bytes.byteLength;
      if (size > MAX_MOVED_BYTES) {
        throw refuseMove(
          `The files have more than ${MAX_MOVED_BYTES / 1_000_000} MB. Move them in several steps.`,
        );
      }
      await staged.write(to, bytes, { ifRevision: null });
      await staged.remove(key, { ifRevision: digestBytes(bytes) });
      const crop = await driver.read(key + CROP_SUFFIX);
      if (crop === undefined) continue;
      await staged.write(to + CROP_SUFFIX, crop);
      await staged.remove(key + CROP_SUFFIX);
    }
  }

  /** Stages the content files with the new paths. */
  async function stageContent(moves: Moves, staged: Staged): Promise<void> {
    const rewriter = createPathRewriter(moves);
    const { base } = reader.settings;
    const keys = new Set<string>();
    let count = 0;
    for (const type of store.types.keys()) {
      for (const { key: entityKey, body } of store.entities(type)) {
        count += 1;
        if (count % ENTITIES_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
        const key = fileOfKey(entityKey);
        if (keys.has(key)) continue;
        const bytes = await driver.read(key);
        if (bytes === undefined) continue;
        const start = body?.start ?? bytes.byteLength;
        const head = decoder.decode(bytes.subarray(0, start));
        const text = decoder.decode(bytes.subarray(start));
        const next =
          rewriter.rewrite(head, { from: key, base, isBody: false }) +
          rewriter.rewrite(text, { from: key, base, isBody: true });
        if (next === head + text) continue;
        await staged.write(key, encoder.encode(next), { ifRevision: digestBytes(bytes) });
        keys.add(key);
      }
    }
  }

  /** Stages the former ids of files that anonymous visitors could see, so that requests for them get a 410. */
  async function stageGone(moves: Moves, staged: Staged): Promise<void> {
    const ledger = createLedger(staged, reader.gone);
    const access = reader.access(ANONYMOUS, 'source');
    const at = new Date(deps.now()).toISOString();
    const gone: GoneEntity[] = [];
    const kept = new Set(moves.values());
    for (const key of moves.keys()) {
      if (kept.has(key) || !(await canSeeFile(reader, access, key))) continue;
      gone.push({ type: FILE_TYPE_NAME, id: idOf(key), at, published: true, uid: null });
    }
    if (gone.length > 0) await ledger.add(gone);
    for (const key of kept) await ledger.drop(FILE_TYPE_NAME, idOf(key));
  }

  /** Throws ConflictError if an entity would not refer to the same files at their new places. */
  async function check(moves: Moves, staged: Staged, keys: readonly string[]): Promise<void> {
    const content = await deps.with(staged, { has: () => false });
    await reload(content, keys);
    const uris = new Map(
      [...moves].map(([key, to]) => [
        uriOf({ source: 'content', key }),
        uriOf({ source: 'content', key: to }),
      ]),
    );
    for (const type of store.types.values()) {
      for (const entity of store.entities(type.name)) {
        const before = referencesOf(type, entity, uris);
        if (before === undefined) continue;
        const next = content.store.get(type.name, entity.id, entity.translation);
        const nextType = content.store.types.get(type.name);
        const after = next && nextType && referencesOf(nextType, next);
        if (after === before) continue;
        throw new ConflictError(
          `The paths in '${fileOfKey(entity.key)}' cannot be changed. Change them by hand, and move the file then.`,
        );
      }
    }
  }

  return {
    async moveFiles(writer, moves, when) {
      checkMayChangeFile(writer, store);
      for (const [key, to] of moves) {
        checkTarget(key, to, layoutOf(reader.settings.layout));
        const isSameFolder = key.split('/', 1)[0] === to.split('/', 1)[0];
        if (!isSameFolder && folderName(reader, to) === NO_BUNDLE) throw refuseMove(NOT_IN_BUNDLE);
      }
      return transact(writer, async () => {
        const staged = createStagedFiles(driver);
        const [first] = moves.keys();
        if (when !== undefined && first !== undefined) {
          const bytes = await driver.read(first);
          if (bytes === undefined) throw new NotFoundError(`The file '${first}' does not exist.`);
          await checkTags(when, 'file', digestBytes(bytes), deps.options.requireIfMatch);
        }
        await stageFiles(moves, staged);
        await stageContent(moves, staged);
        if (reader.settings.drupal !== false) await stageGone(moves, staged);
        const keys = staged.changes().map(({ key }) => key);
        await check(moves, staged, keys);
        const place = sharedPath([...moves.values()]);
        const type = staged.changes().some(({ key }) => key === place) ? 'file' : 'folder';
        const words = [{ change: 'moved' as const, type, key: place }];
        deps.onWriting?.(words, writer);
        await deps.collector.change(keys, () => writeFiles(driver, staged.changes()));
        return { job: deps.onWritten?.(words, keys, writer) };
      });
    },
  };
}

type Staged = ReturnType<typeof createStagedFiles>;

const idOf = (key: string) => fileId(uriOf({ source: 'content', key }));

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** The files of an entity, as text to compare. With `uris`: at their new places, or undefined if none of them moves. */
function referencesOf(
  type: ResourceType,
  entity: Entity,
  uris?: ReadonlyMap<string, string>,
): string | undefined {
  const files = filesOf(type, entity);
  if (uris !== undefined && !files.some(([, all]) => [...all].some((uri) => uris.has(uri)))) return undefined;
  return JSON.stringify(files.map(([field, all]) => [field, [...all].map((uri) => uris?.get(uri) ?? uri)]));
}

/** The file, or the folder of several, which the message of the commit names. */
function sharedPath([first = '', ...others]: readonly string[]): string {
  let path = first;
  while (
    !others.every((each) => each.startsWith(`${path}/`)) &&
    path !== first.slice(0, first.indexOf('/'))
  ) {
    path = path.slice(0, path.lastIndexOf('/'));
  }
  return path;
}

function checkTarget(key: string, to: string, layout: ReturnType<typeof layoutOf>): void {
  if (key === to) throw refuseMove('The file is at this place already.');
  if (normalizeKey(to) !== to || !to.split('/').every((segment) => SEGMENT.test(segment))) {
    throw refuseMove(
      'Use letters, digits, hyphens, underscores and points in the names of files and folders.',
    );
  }
  if (!to.includes('/') || !isServable({ source: 'content', key: to }, layout)) {
    throw refuseMove(NOT_IN_BUNDLE);
  }
  if (extensionOf(to) !== extensionOf(key)) {
    throw refuseMove(`The extension must stay \`.${extensionOf(key)}\`.`);
  }
}

/** Throws InvalidEntityError if a path has other names than a person can choose for files and folders. */
export function checkNames(path: string): void {
  if (normalizeKey(path) === path && path.split('/').every((segment) => SEGMENT.test(segment))) return;
  throw refuseMove('Use letters, digits, hyphens, underscores and points in the names of files and folders.');
}

const NOT_IN_BUNDLE = 'The file must be in the folder of a bundle.';
/** Names that need no encoding anywhere, and those of folders that exist. */
const SEGMENT = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;
const AT_URI = { pointer: '/data/attributes/uri/value' } as const;

function refuseMove(detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: AT_URI }]);
}
