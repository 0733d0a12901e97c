const running = new Set<Promise<unknown>>();

/** Makes a save wait for an upload. Returns the upload. */
export function track<Result>(upload: Promise<Result>): Promise<Result> {
  const work = upload.finally(() => running.delete(work));
  running.add(work);
  return work;
}

/** Resolves when no upload is running, after those who wait for one have its result. */
export async function endOfUploads(): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running);
}
