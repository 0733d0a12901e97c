import { objectOf, type Resource } from '../api/document.ts';

/** The state of the content on the server, as far as the account may see it. */
export interface SiteStatus {
  /** Undefined for accounts that do not see all content. */
  readonly problems: readonly Problem[] | undefined;
  /** Number of problems, also of those that are not listed. */
  readonly problemCount: number;
  /** Files that differ from the last commit; undefined if the content is not in git. */
  readonly uncommitted: readonly UncommittedFile[] | undefined;
  readonly uncommittedCount: number;
  /** Undefined if the server does not commit changes. */
  readonly commits: CommitStatus | undefined;
}

export interface Problem extends FileOfEntity {
  readonly line: number;
  readonly column: number;
  readonly isError: boolean;
  /** Such as `reference/dangling`. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface UncommittedFile extends FileOfEntity {
  readonly change: 'added' | 'modified' | 'deleted';
}

/** A content file. `entity` is undefined for a file without one, such as an image. */
interface FileOfEntity {
  readonly file: string;
  readonly entity:
    | { readonly type: string; readonly id: string; readonly language: string | undefined }
    | undefined;
}

interface CommitStatus {
  readonly areLate: boolean;
  /** Changes without a commit. */
  readonly waiting: number;
  readonly arePushesLate: boolean;
  /** Sentences about why commits or pushes wait. */
  readonly obstacles: readonly string[];
}

/** Reads the document of `/jsonapi/_status`. */
export function statusOf({ attributes, meta }: Pick<Resource, 'attributes' | 'meta'>): SiteStatus {
  const { errors, warnings, uncommitted } = objectOf(meta.counts);
  return {
    problems: listOf(attributes.problems)?.map(problemOf),
    problemCount: numberOf(errors) + numberOf(warnings),
    uncommitted: listOf(attributes.uncommitted)?.map(uncommittedOf),
    uncommittedCount: numberOf(uncommitted),
    commits: attributes.commits === null ? undefined : commitsOf(objectOf(attributes.commits)),
  };
}

/** True if a list of changes without a commit, or of commits that wait, has something to show. */
export function hasWaitingChanges({ uncommittedCount, commits }: SiteStatus): boolean {
  if (uncommittedCount > 0) return true;
  return commits !== undefined && (commits.areLate || commits.arePushesLate || commits.waiting > 0);
}

function problemOf(problem: Readonly<Record<string, unknown>>): Problem {
  const { line, column, severity, code, message, hint } = problem;
  return {
    ...fileOf(problem),
    line: numberOf(line),
    column: numberOf(column),
    isError: severity === 'error',
    code: String(code ?? ''),
    message: String(message),
    hint: typeof hint === 'string' ? hint : '',
  };
}

function uncommittedOf(file: Readonly<Record<string, unknown>>): UncommittedFile {
  const change = file.change === 'added' || file.change === 'deleted' ? file.change : 'modified';
  return { ...fileOf(file), change };
}

function fileOf({ file, entity }: Readonly<Record<string, unknown>>): FileOfEntity {
  const { type, id, translation } = objectOf(entity);
  const language = typeof translation === 'string' ? translation : undefined;
  return {
    file: String(file),
    entity: typeof type === 'string' ? { type, id: String(id), language } : undefined,
  };
}

function commitsOf({ commits, backlog, pushes, obstacles }: Readonly<Record<string, unknown>>): CommitStatus {
  return {
    areLate: commits !== 'ok',
    waiting: numberOf(objectOf(backlog).changes),
    arePushesLate: pushes === 'waiting',
    obstacles: Array.isArray(obstacles) ? obstacles.map(String) : [],
  };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  return Array.isArray(value) ? value.map(objectOf) : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
