import type { KnownEntities } from '../content/decode/references.ts';
import { createLedger } from '../content/ledger.ts';
import { type Entity, type Reference, referenceKey } from '../content/model.ts';
import { compact } from '../content/parse-file.ts';
import type { ParsedFiles } from '../content/read-files.ts';
import { RevisionConflictError, UnsafeKeyError } from '../storage/errors.ts';
import { fileOfKey } from '../storage/key.ts';
import { DomainError, NotFoundError } from '../util/errors.ts';
import { checkRendered } from './body.ts';
import { createCommands } from './commands.ts';
import { previewFiles } from './preview.ts';
import { createStagedFiles, type StagedFiles } from './staged-files.ts';
import { createTransact, createTurns, reload, writeFiles } from './transaction.ts';
import type {
  CommitJob,
  Content,
  ContentWriter,
  Edit,
  ForkedContent,
  Operation,
  StagedChange,
  Writer,
  WriterDeps,
  WrittenEntity,
} from './writer.ts';

/** The commands over the files of a driver. */
export function createContentWriter(deps: WriterDeps): ContentWriter {
  const { driver, collector, store, reader, options } = deps;
  const transact = createTransact(deps);
  const checkInTurn = createTurns();

  /**
   * Runs operations and writes their files, all or none. The lock is free while new bodies render. If content has changed
   * in the meantime, the operations run again, and are written if the bodies are the same.
   */
  async function perform(
    writer: Writer,
    operations: readonly StagedOperation[],
    open: OpenContent<Content>,
  ): Promise<Performed> {
    const now = deps.now();
    const checked = new Set<string>();
    let ready: Draft | undefined;
    for (let attempt = 1; ; attempt++) {
      const result = await transact(writer, async () => {
        // Without changes of other content, the result is the same. The driver compares the files themselves.
        const draft = ready?.version === store.version ? ready : await prepare(writer, operations, open, now);
        ready = undefined;
        const unchecked = draft.bodies.filter(({ entity }) => !checked.has(versionOf(entity)));
        if (unchecked.length > 0 && attempt < MAX_ATTEMPTS) return { draft, unchecked };
        for (const body of unchecked) await body.check();
        return write(writer, draft, operations);
      });
      if ('written' in result) return result;
      for (const body of result.unchecked) {
        await checkInTurn(writer, body.check);
        checked.add(versionOf(body.entity));
      }
      ready = result.draft;
    }
  }

  /**
   * Runs operations one after another, over staged files. Runs them again if one of them refers to a new entity whose id is
   * not known yet.
   */
  async function prepare<C extends Content>(
    writer: Writer,
    operations: readonly StagedOperation[],
    open: OpenContent<C>,
    now: number,
  ): Promise<Draft & { readonly content: C }> {
    for (let run = 1; ; run++) {
      const { version } = store;
      const files = createStagedFiles(driver);
      const created = operations.map((operation) => operation.creates?.(run));
      const expected = createExpected(created);
      const content = await open(files, expected);
      const ledger = createLedger(files, content.reader.gone);
      const commands = createCommands({
        ...content,
        driver: files,
        ledger,
        options,
        now,
        expected: { has: (type, id) => expected.has(type, id) && expected.use({ type, id }) },
        revisionBefore({ type, id, translation }) {
          const stored = store.get(type, id, translation);
          return stored === undefined
            ? null
            : reader.fragments.revision({ services: reader, access: writer.access }, stored);
        },
      });
      const isFork = content.store !== store;
      const own = isFork ? { ...writer, access: content.reader.access(writer.actor, 'source') } : writer;
      const changes: StagedChange[] = [];
      for (const [at, operation] of operations.entries()) {
        expected.position = at;
        const change = await located(operation, () =>
          operation.run({ ...content, writer: own, commands, ledger, files }),
        );
        if (isFork && change.change !== 'unchanged') await reload(content, change.keys);
        changes.push(change);
      }
      expected.position = operations.length;
      const isFinal = created.every((each, at) => each === undefined || each.id === changes[at]?.entity.id);
      if (!isFinal && expected.used.length > 0 && run < MAX_RUNS) continue;
      for (const { type, id, position } of expected.used) {
        if (await content.reader.engine.find(type, id, own.access)) continue;
        const detail = `There is no resource '${id}' of type ${type}, or you may not see it.`;
        throw locate(operations[position], new NotFoundError(detail));
      }
      for (const [at, { finalCheck }] of changes.entries()) {
        if (finalCheck !== undefined) await located(operations[at], finalCheck);
      }
      for (const follow of deps.followers ?? []) {
        for (const [at, change] of changes.entries()) {
          const followed = { change, writer, now, before: store, after: content.store };
          const keys = await located(operations[at], () => follow(followed, files));
          changes[at] = { ...change, keys: [...change.keys, ...keys] };
        }
      }
      const bodies = changes.flatMap(({ entity, body }, at) => {
        if (body === undefined) return [];
        const check = () => checkRendered(deps, body.check, entity, body.input, body.stored);
        return [{ entity, check: () => located(operations[at], check) }];
      });
      return { version, content, changes, files: files.changes(), bodies };
    }
  }

  async function write(
    writer: Writer,
    { changes, files }: Draft,
    operations: readonly StagedOperation[],
  ): Promise<Performed> {
    if (files.length === 0) return { written: changes };
    const keys = [...new Set(changes.flatMap((change) => change.keys.map(fileOfKey)))];
    deps.onWriting?.(changes.filter(isEffective), writer);
    await collector
      .change(keys, () => writeFiles(driver, files), parsedFiles(files))
      .catch((error: unknown) => {
        if (!(error instanceof UnsafeKeyError)) throw error;
        const at = changes.findIndex((change) => change.keys.map(fileOfKey).includes(error.key));
        throw locate(operations[at], error);
      });
    const written = changes.map(({ entity, change }): WrittenEntity => {
      return { entity: store.get(entity.type, entity.id, entity.translation) ?? entity, change };
    });
    return { written, job: deps.onWritten?.(written.filter(isEffective), keys, writer) };
  }

  /** Runs one command over the content itself, which nothing has to see before it is written. */
  async function performOne(writer: Writer, run: StagedOperation['run']): Promise<WrittenEntity & CommitJob> {
    const { written, job } = await perform(writer, [{ run }], async () => deps);
    const [result] = written;
    if (result === undefined) throw new Error('An operation has no result.');
    return { ...result, ...(job !== undefined && { job }) };
  }

  /** Runs operations over a fork, and checks their bodies. */
  async function tryOut<T>(
    writer: Writer,
    operations: readonly Operation[],
    read: (draft: Draft & { readonly content: ForkedContent }) => Promise<T>,
  ): Promise<T> {
    const { bodies, result } = await transact(writer, async () => {
      const draft = await prepare(writer, operations, deps.with, deps.now());
      return { bodies: draft.bodies, result: await read(draft) };
    });
    for (const { check } of bodies) await checkInTurn(writer, check);
    return result;
  }

  const edit: Edit<CommitJob> = (writer, ...change) =>
    performOne(writer, ({ commands }) => commands.edit(writer, ...change));

  return {
    create: (writer, ...args) => performOne(writer, ({ commands }) => commands.create(writer, ...args)),
    translate: (writer, ...args) => performOne(writer, ({ commands }) => commands.translate(writer, ...args)),
    update: (writer, ...args) => performOne(writer, ({ commands }) => commands.update(writer, ...args)),
    relate: (writer, ...args) => performOne(writer, ({ commands }) => commands.relate(writer, ...args)),
    remove: (writer, ...args) => performOne(writer, ({ commands }) => commands.remove(writer, ...args)),
    run: (_, command) => command({ deps, transact, checkInTurn, edit }),
    perform: (writer, operations) => perform(writer, operations, deps.with),
    preview: (writer, operations) =>
      tryOut(writer, operations, ({ changes, files }) => previewFiles(deps, writer, changes, files)),
    attempt: (writer, operations) =>
      tryOut(writer, operations, async ({ changes, content }) => ({ content, written: changes })),
  };
}

/** Runs of operations whose bodies are checked without the lock. */
const MAX_ATTEMPTS = 3;
/** The second run knows the ids of all new entities. */
const MAX_RUNS = 2;

/** An operation that may use every command. */
interface StagedOperation extends Partial<Operation> {
  run(
    content: Parameters<Operation['run']>[0] & { readonly commands: ReturnType<typeof createCommands> },
  ): Promise<StagedChange>;
}

type OpenContent<C extends Content> = (files: StagedFiles, expected: KnownEntities) => Promise<C>;

type Performed = Awaited<ReturnType<ContentWriter['perform']>>;

/** Files that are ready to be written. */
interface Draft {
  /** The version of the store. */
  readonly version: number;
  readonly changes: readonly StagedChange[];
  readonly files: ReturnType<StagedFiles['changes']>;
  /** New bodies, and the checks that they need. */
  readonly bodies: readonly { readonly entity: Entity; check(): Promise<void> }[];
}

/** The entities that the operations from `position` on create. */
function createExpected(created: readonly (Reference | undefined)[]) {
  const positions = new Map(created.flatMap((each, at) => (each ? [[referenceKey(each), at] as const] : [])));
  const used: (Reference & { readonly position: number })[] = [];
  const expected = {
    position: 0,
    has: (type: string, id: string) => (positions.get(referenceKey({ type, id })) ?? -1) >= expected.position,
    /** References of operations to entities that did not exist yet. */
    used,
    use: (reference: Reference) => used.push({ ...reference, position: expected.position }) > 0,
  };
  return expected;
}

async function located<T>(operation: StagedOperation | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw locate(operation, error);
  }
}

function locate(operation: StagedOperation | undefined, error: unknown): unknown {
  // A conflict with another program starts the request again.
  const isFinal = error instanceof DomainError && !(error instanceof RevisionConflictError);
  return isFinal ? (operation?.locate?.(error) ?? error) : error;
}

/** The files whose bytes were parsed to check them. */
function parsedFiles(files: Draft['files']): ParsedFiles {
  const withBoth = files.flatMap(({ key, bytes, parsed }) =>
    bytes && parsed ? [{ key, bytes, parsed }] : [],
  );
  return new Map(withBoth.map(({ key, bytes, parsed }) => [key, { bytes, parsed: compact(parsed) }]));
}

function isEffective({ change }: WrittenEntity): boolean {
  return change !== 'unchanged';
}

function versionOf({ key, revision }: Entity): string {
  return `${key} ${revision}`;
}
