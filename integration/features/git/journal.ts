import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { undefinedIfMissing } from '../../core/storage/drivers/fs-paths.ts';
import { parseAs } from '../../core/util/json.ts';
import type { Person } from '../../core/write/person.ts';

const fileSchema = z.object({
  /** Key in the content folder. */
  key: z.string(),
  /** Path in the repository. */
  path: z.string(),
  /** Base64 of the file before the change; null if it did not exist. */
  before: z.string().nullable(),
  /** Base64 of the file after the change; null if it was removed. */
  after: z.string().nullable(),
  /** True for a file that the change only refers to: it is committed if the branch does not have it. */
  ifMissing: z.boolean().optional(),
});

const commonFields = {
  id: z.string(),
  /** The account that made the change; null without one. */
  account: z.string().nullable(),
  /** When the change was made, milliseconds since the Unix epoch. */
  at: z.number(),
  /** Data of the caller. */
  about: z.record(z.string(), z.string()).optional(),
};

const changeSchema = z.object({
  ...commonFields,
  author: z.object({ name: z.string(), mail: z.string() }),
  /** The commit message; absent until the change is complete. */
  subject: z.string().optional(),
  files: z.array(fileSchema).readonly(),
});

const doneSchema = z.object({
  ...commonFields,
  /** Grows with each batch of a branch, milliseconds since the Unix epoch. */
  doneAt: z.number(),
  /** Hash; null if nothing could be committed. */
  commit: z.string().nullable(),
  branch: z.string(),
  /** A sentence about files that are not in the commit. */
  detail: z.string().optional(),
  /** The files of the change, in the repository. */
  paths: z.array(z.string()).optional(),
  /** Ids of conflicts with changes of others. */
  conflicts: z.array(z.string()).optional(),
});

const batchSchema = z.object({
  /** When git first started to take locks for a batch, milliseconds since the Unix epoch. */
  lockingSince: z.number(),
  /** The last commit of the batch; null if the branch has all changes already. */
  tip: z.string().nullable(),
  ref: z.string(),
  done: z.array(doneSchema),
});

const moveSchema = z.object({
  /** When git first started to take locks for the move, milliseconds since the Unix epoch. */
  lockingSince: z.number(),
  /** The commits of the working tree before and after the move. */
  from: z.string(),
  to: z.string(),
});

const timesSchema = z.array(z.tuple([z.string(), z.number()]));

/** A file of a change, as the journal stores it. */
export type JournalFile = z.output<typeof fileSchema>;
/** A change that waits for its commit. */
export type Change = z.output<typeof changeSchema>;
/** A change that has a commit, or never will. */
export type DoneChange = z.output<typeof doneSchema>;
/** Changes whose commits exist, but may not be on the branch yet. */
export type Batch = z.output<typeof batchSchema>;

/** A move of the working tree to another commit, which may be half done. */
export type Move = z.output<typeof moveSchema>;

export interface ChangeFields extends Partial<Pick<Change, 'subject' | 'at' | 'about'>> {
  readonly dropped?: readonly string[];
}

/** Limits for finished changes: age in milliseconds, and number. */
const MAX_DONE = { age: 24 * 60 * 60 * 1000, changes: 1000 };

/** The form of a change's id: time, counter, and a random part. */
const ID = /^[0-9a-z]{9}[0-9a-z]{3}[0-9a-f]{12}$/;

export type CommitJournal = ReturnType<typeof createCommitJournal>;

/**
 * Changes that wait for their commit, one file per change, in a folder of the git repository, which is created. A change
 * is stored before the content changes and removed after the commit, so it survives the death of the process. The file is
 * a list of JSON lines, each of which adds to the change; a line that is cut off is ignored.
 */
export function createCommitJournal(folder: string) {
  const pendingDir = join(folder, 'pending');
  const doneDir = join(folder, 'done');
  for (const each of [pendingDir, doneDir]) mkdirSync(each, { recursive: true });
  const batchPath = join(folder, 'batch.json');
  const movePath = join(folder, 'move.json');
  const pendingPath = (id: string) => join(pendingDir, `${id}.jsonl`);
  const donePath = (id: string) => join(doneDir, `${id}.json`);
  let lastAt = 0;
  let count = 0;

  function add(
    { id, account, author, at, files }: Change,
    fields: ChangeFields | { file: JournalFile },
  ): void {
    const line = files.length === 0 ? { account, author, at, ...fields } : fields;
    appendFileSync(pendingPath(id), `${JSON.stringify(line)}\n`);
  }

  function read(id: string): Change | undefined {
    const text = undefinedIfMissing(() => readFileSync(pendingPath(id), 'utf8'));
    return text === undefined ? undefined : parseChange(id, text);
  }

  function removeOldDone(): void {
    const ids = idsIn(doneDir, '.json');
    const isOld = (id: string) => timeOf(id) < Date.now() - MAX_DONE.age;
    const excess = Math.max(ids.length - MAX_DONE.changes, ids.filter(isOld).length);
    for (const id of ids.slice(0, excess)) rmSync(donePath(id), { force: true });
  }

  /** By branch, when something was last committed, and the `doneAt` up to which commits have been pushed. */
  function times(kind: 'committed' | 'pushed'): Map<string, number> {
    return new Map(readJson(join(folder, `${kind}.json`), timesSchema));
  }

  function store(path: string, value: unknown): void {
    if (value === undefined) rmSync(path, { force: true });
    else writeJson(path, value);
  }

  return {
    /** A new change, which is not stored yet. Ids are ordered by time. */
    create(account: string | null, author: Person): Change {
      const at = Math.max(Date.now(), lastAt);
      count = at === lastAt ? count + 1 : 0;
      lastAt = at;
      const id = at.toString(36).padStart(9, '0') + count.toString(36).padStart(3, '0');
      return { id: id + randomBytes(6).toString('hex'), account, author, at, files: [] };
    },
    /** Stores a change with one more file. */
    addFile(change: Change, file: JournalFile): Change {
      add(change, { file });
      return { ...change, files: mergeFile(change.files, file) };
    },
    /** Stores more fields of a change. */
    update: (change: Change, fields: ChangeFields) => add(change, fields),
    /** The oldest changes, incomplete ones included: at most this number, and as many as memory should hold. */
    pending(most?: number): readonly Change[] {
      let bytes = 0;
      const ids = idsIn(pendingDir, '.jsonl')
        .slice(0, most)
        .filter((id, index) => {
          bytes += undefinedIfMissing(() => statSync(pendingPath(id)).size) ?? 0;
          return index === 0 || bytes <= MAX_PENDING_BYTES;
        });
      return ids.flatMap((id) => read(id) ?? []);
    },
    /** Changes that are in progress, or whose process died. */
    incomplete: (): readonly Change[] =>
      idsIn(pendingDir, '.jsonl').flatMap((id) => {
        const change = read(id);
        return change?.subject === undefined ? (change ?? []) : [];
      }),
    /** The number of waiting changes, and the time of the oldest, milliseconds since the Unix epoch. */
    backlog(): { readonly changes: number; readonly since: number | undefined } {
      const ids = idsIn(pendingDir, '.jsonl');
      return { changes: ids.length, since: ids[0] === undefined ? undefined : timeOf(ids[0]) };
    },
    find: (id: string): Change | DoneChange | undefined =>
      ID.test(id) ? (readJson(donePath(id), doneSchema) ?? read(id)) : undefined,
    /** Removes a change, and stores what became of it. */
    async finish(id: string, done?: DoneChange): Promise<void> {
      if (done !== undefined) {
        writeJson(donePath(id), done);
        removeOldDone();
      }
      // Asynchronous, because requests must not wait for a busy disk.
      await rm(pendingPath(id), { force: true });
    },
    /** Replaces the commits of finished changes, by their former hashes. */
    moveDone(moved: ReadonlyMap<string, MovedCommit>): void {
      for (const id of idsIn(doneDir, '.json')) {
        const done = readJson(donePath(id), doneSchema);
        const change = done?.commit ? moved.get(done.commit) : undefined;
        if (done === undefined || change === undefined) continue;
        const { paths, conflicts = [] } = done;
        const own = change.conflicts.filter(({ path }) => paths === undefined || paths.includes(path));
        writeJson(donePath(id), {
          ...done,
          commit: change.commit,
          ...(own.length > 0 && {
            detail: describeConflicts(own.map(({ path }) => path)),
            conflicts: [...conflicts, ...own.map((each) => each.id)],
          }),
        });
      }
    },
    batch: () => readJson(batchPath, batchSchema),
    setBatch: (batch: Batch | undefined) => store(batchPath, batch),
    move: () => readJson(movePath, moveSchema),
    setMove: (move: Move | undefined) => store(movePath, move),
    times,
    setTime(kind: 'committed' | 'pushed', branch: string, at: number): void {
      writeJson(join(folder, `${kind}.json`), [...times(kind).set(branch, at)]);
    },
    /** Removes what dead processes have left. No change may be in progress. */
    sweep(): void {
      for (const id of idsIn(pendingDir, '.jsonl')) if (read(id) === undefined) rmSync(pendingPath(id));
      for (const dir of [folder, doneDir]) {
        for (const name of readdirSync(dir).filter((each) => TEMPORARY.test(each))) {
          const changed = undefinedIfMissing(() => statSync(join(dir, name)))?.mtimeMs ?? 0;
          if (Date.now() - changed > TEMPORARY_MS) rmSync(join(dir, name), { force: true });
        }
      }
    },
  };
}

/** What a commit has become: null if nothing of it was kept. */
export interface MovedCommit {
  readonly commit: string | null;
  readonly conflicts: readonly { readonly id: string; readonly path: string }[];
}

function describeConflicts([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : ` and of ${others.length} more files`;
  return `Someone else has changed the same field of ${first}${more}. That change stays, and yours is stored as a conflict.`;
}

/** Changes that are in memory at once. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** A file that is about to replace another one, and its maximum age in milliseconds. */
const TEMPORARY = /\.json\.\d+\.new$/;
const TEMPORARY_MS = 60_000;

/** Undefined if not even the first line is complete: then nothing has changed yet. */
function parseChange(id: string, text: string): Change | undefined {
  let fields: Record<string, unknown> = { id };
  let files: readonly JournalFile[] = [];
  for (const line of text.split('\n')) {
    const { file, dropped = [], ...others } = parseAs(lineSchema, line) ?? {};
    fields = { ...fields, ...others };
    if (file !== undefined) files = mergeFile(files, file);
    files = files.filter(({ path }) => !dropped.includes(path));
  }
  return changeSchema.safeParse({ ...fields, files }).data;
}

const lineSchema = z.looseObject({
  file: fileSchema.optional(),
  /** Paths that are no longer part of the change. */
  dropped: z.array(z.string()).optional(),
});

/** Adds a file. A file that is changed again keeps its state before the first change. */
export function mergeFile(files: readonly JournalFile[], file: JournalFile): readonly JournalFile[] {
  const former = files.find(({ path }) => path === file.path);
  if (former !== undefined && file.ifMissing === true) return files;
  const before = former === undefined || former.ifMissing === true ? file.before : former.before;
  return [...files.filter((each) => each !== former), { ...file, before }];
}

/** Milliseconds since the Unix epoch. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 9), 36);
}

function idsIn(folder: string, extension: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length))
    .filter((id) => ID.test(id))
    .sort();
}

/** Replaces a file atomically. */
function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, path);
}

/** Undefined if the file does not exist or has another form. */
function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  const text = undefinedIfMissing(() => readFileSync(path, 'utf8'));
  return text === undefined ? undefined : parseAs(schema, text);
}
