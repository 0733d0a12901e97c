import type { CommitJob } from './commit-journal.ts';

/**
 * Jobs that may be one commit each, in an order in which nothing older follows something newer: those of one author
 * together, as long as nobody else has changed the same file in between.
 */
export function groupJobs(jobs: readonly CommitJob[]): readonly (readonly CommitJob[])[] {
  const groups: { readonly author: string; readonly jobs: CommitJob[]; readonly paths: Set<string> }[] = [];
  for (const job of jobs) {
    const author = JSON.stringify(job.author);
    const paths = job.files.map(({ path }) => path);
    const at = groups.findLastIndex((group) => group.author === author);
    const isFree = groups.slice(at + 1).every((group) => paths.every((path) => !group.paths.has(path)));
    const own = at !== -1 && isFree ? groups[at] : undefined;
    if (own === undefined) {
      groups.push({ author, jobs: [job], paths: new Set(paths) });
    } else {
      own.jobs.push(job);
      for (const path of paths) own.paths.add(path);
    }
  }
  return groups.map((group) => group.jobs);
}
