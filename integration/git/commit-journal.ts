import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
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
import { whereFound } from '../storage/drivers/fs-paths.ts';

const personSchema = z.object({ name: z.string(), mail: z.string() });

const fileSchema = z.object({
  /** In the content folder. */
  key: z.string(),
  /** In the repository. */
  path: z.string(),
  /** Name of the file beside the job that has the bytes; null where the file was removed. */
  bytes: z.string().nullable(),
  /** The same for the file as it was before the change, null where there was none; absent where that is of no interest. */
  before: z.string().nullable().optional(),
  /** Whether the change only names it: it is committed where the branch does not have it. */
  ifNew: z.boolean().optional(),
});

const jobSchema = z.object({
  id: z.string(),
  /** Who made the change; null for nobody who has an account. */
  account: z.string().nullable(),
  author: personSchema,
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
  /** One line; absent as long as the change goes on. */
  subject: z.string().optional(),
  /** What was changed, as whoever reads the journal has it. */
  about: z.record(z.string(), z.string()).optional(),
  files: z.array(fileSchema),
});

const doneSchema = z.object({
  id: z.string(),
  account: z.string().nullable(),
  at: z.number(),
  about: z.record(z.string(), z.string()).optional(),
  /** Milliseconds since the Unix epoch. */
  doneAt: z.number(),
  /** Null where nothing could be committed. */
  commit: z.string().nullable(),
  branch: z.string(),
  /** What there is to say besides, in a sentence. */
  detail: z.string().optional(),
});

/** A change that is to be committed. */
export type CommitJob = z.output<typeof jobSchema>;
/** A change of which a commit was made, or cannot be. */
export type DoneJob = z.output<typeof doneSchema>;

const timesSchema = z.array(z.tuple([z.string(), z.number()]));

/** Milliseconds since the Unix epoch, by the name of a branch. */
export type BranchTimes = ReadonlyMap<string, number>;

/** Finished jobs are kept so long, and so many of them. */
export const KEPT_DONE = { milliseconds: 24 * 60 * 60 * 1000, jobs: 1000 };

/** Text that is a job's id, as a route may ask for it. */
export const JOB_ID = /^[0-9a-z]{9}[0-9a-z]{3}[0-9a-f]{12}$/;

/**
 * What is to be committed, in a folder of the repository's own: a file for each change, and one for the bytes of each of
 * its files. It is there before the content changes, and until the commit is made, so that it outlives the process.
 */
export interface CommitJournal {
  /** A new job, of which nothing is kept yet. Ids are in the order of time. */
  create(job: Pick<CommitJob, 'account' | 'author'>): CommitJob;
  /** Keeps what is to be the content of a file: bytes, or those of a file as it is now. Answers their name. */
  keepBytes(job: CommitJob, bytes: Uint8Array | { readonly copyOf: string }): string;
  /** Absolute. */
  bytesPath(name: string): string;
  put(job: CommitJob): void;
  /** In the order in which they were made, unfinished ones included: the first `most` of them. */
  pending(most?: number): readonly CommitJob[];
  /** How many changes wait, and since when the oldest does, milliseconds since the Unix epoch. */
  backlog(): { readonly changes: number; readonly since: number | undefined };
  find(id: string): CommitJob | DoneJob | undefined;
  /** Forgets a job; what became of it is kept where that is given. */
  finish(job: CommitJob, done: DoneJob | undefined): Promise<void>;
  /** Removes bytes that no job has, and drafts of processes that died. To be called while no change is under way. */
  sweep(): void;
  /** By branch, when something was committed to it last, milliseconds; grows with each commit. */
  committed(): BranchTimes;
  markCommitted(branch: string): number;
  /** By branch, of what was pushed, when the last of it was committed. */
  pushed(): BranchTimes;
  markPushed(branch: string, committedAt: number): void;
  readonly lockPath: string;
  /** The note of `createStaleLocks`. */
  readonly lockingPath: string;
}

/** Makes the folder. */
export function createCommitJournal(folder: string): CommitJournal {
  const pendingDir = join(folder, 'pending');
  const doneDir = join(folder, 'done');
  for (const each of [pendingDir, doneDir]) mkdirSync(each, { recursive: true });
  const committedPath = join(folder, 'committed.json');
  const pushedPath = join(folder, 'pushed.json');
  let last = 0;
  let count = 0;

  function nextId(at: number): string {
    count = at === last ? count + 1 : 0;
    last = at;
    const place = at.toString(36).padStart(9, '0') + count.toString(36).padStart(3, '0');
    return place + randomBytes(6).toString('hex');
  }

  function replace(path: string, value: unknown): void {
    const draft = `${path}.${process.pid}.new`;
    writeFileSync(draft, JSON.stringify(value));
    renameSync(draft, path);
  }

  function sweepDone(): void {
    const ids = idsIn(doneDir);
    const oldest = Date.now() - KEPT_DONE.milliseconds;
    const excess = ids.length - KEPT_DONE.jobs;
    for (const [at, id] of ids.entries()) {
      if (at >= excess && timeOf(id) >= oldest) return;
      rmSync(join(doneDir, `${id}.json`), { force: true });
    }
  }

  return {
    create({ account, author }) {
      const at = Math.max(Date.now(), last);
      return { id: nextId(at), account, author, at, files: [] };
    },
    keepBytes({ id }, bytes) {
      const name = `${id}.${randomBytes(4).toString('hex')}`;
      if ('copyOf' in bytes) copyFileSync(bytes.copyOf, join(pendingDir, name));
      else writeFileSync(join(pendingDir, name), bytes);
      return name;
    },
    bytesPath: (name) => join(pendingDir, name),
    put: (job) => replace(join(pendingDir, `${job.id}.json`), job),
    pending: (most) =>
      idsIn(pendingDir)
        .slice(0, most)
        .flatMap((id) => readJson(join(pendingDir, `${id}.json`), jobSchema) ?? []),
    backlog() {
      const [oldest, ...others] = idsIn(pendingDir);
      return oldest === undefined
        ? { changes: 0, since: undefined }
        : { changes: 1 + others.length, since: timeOf(oldest) };
    },
    find: (id) =>
      JOB_ID.test(id)
        ? (readJson(join(doneDir, `${id}.json`), doneSchema) ??
          readJson(join(pendingDir, `${id}.json`), jobSchema))
        : undefined,
    async finish(job, done) {
      if (done !== undefined) {
        replace(join(doneDir, `${job.id}.json`), done);
        sweepDone();
      }
      // Removing files takes long while a disk is busy: requests do not wait for it.
      await rm(join(pendingDir, `${job.id}.json`), { force: true });
      await Promise.all(job.files.flatMap(keptBy).map((name) => rm(join(pendingDir, name), { force: true })));
    },
    sweep() {
      for (const place of [folder, doneDir]) {
        for (const name of readdirSync(place).filter((each) => DRAFT.test(each))) {
          const changed = whereFound(() => statSync(join(place, name)))?.mtimeMs ?? 0;
          if (Date.now() - changed > DRAFT_MS) rmSync(join(place, name), { force: true });
        }
      }
      const named = idsIn(pendingDir).flatMap(
        (id) => readJson(join(pendingDir, `${id}.json`), jobSchema)?.files ?? [],
      );
      const wanted = new Set(named.flatMap(keptBy));
      for (const name of readdirSync(pendingDir)) {
        if (!name.endsWith('.json') && !wanted.has(name)) rmSync(join(pendingDir, name), { force: true });
      }
    },
    committed: () => readTimes(committedPath),
    markCommitted(branch) {
      const times = readTimes(committedPath);
      const at = Math.max(Date.now(), (times.get(branch) ?? 0) + 1);
      replace(committedPath, [...times].filter(([name]) => name !== branch).concat([[branch, at]]));
      return at;
    },
    pushed: () => readTimes(pushedPath),
    markPushed(branch, committedAt) {
      const others = [...readTimes(pushedPath)].filter(([name]) => name !== branch);
      replace(pushedPath, others.concat([[branch, committedAt]]));
    },
    lockPath: join(folder, 'lock'),
    lockingPath: join(folder, 'locking'),
  };
}

/** A file that is about to replace another one. */
const DRAFT = /\.json\.\d+\.new$/;
/** A draft that is older was left behind. */
const DRAFT_MS = 60_000;

/** The names under which bytes of a file are kept. */
function keptBy({ bytes, before }: CommitJob['files'][number]): readonly string[] {
  return [bytes, before].filter((name) => name !== null && name !== undefined);
}

/** Milliseconds since the Unix epoch. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 9), 36);
}

function idsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => JOB_ID.test(id))
    .sort();
}

function readTimes(path: string): BranchTimes {
  return new Map(readJson(path, timesSchema));
}

/** Undefined where there is none, or it is none of ours. */
function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  const text = whereFound(() => readFileSync(path, 'utf8'));
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
