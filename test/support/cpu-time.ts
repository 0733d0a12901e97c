/** Milliseconds of processor time that `work` takes in this thread; a busy machine does not change them much. */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
