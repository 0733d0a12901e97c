import { readFileSync } from 'node:fs';

/** A clock of the processor time of this process and of the present processes of PostgreSQL in a folder, in milliseconds. */
export function processorTime(folder: string): () => number {
  const [parent] = readFileSync(`${folder}/data/postmaster.pid`, 'utf8').split('\n');
  return () => {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
    const { user, system } = process.cpuUsage();
    const own = (user + system) / 1000;
    return children.reduce((sum, pid) => sum + nanosecondsOf(pid) / 1e6, own);
  };
}

/** 0 for a process that has ended. */
function nanosecondsOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}
