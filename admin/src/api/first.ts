let first: Promise<unknown> = Promise.resolve();

/** Marks what people wait for. On a slow line, requests that can wait must not slow it down. */
export function loadFirst<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  first = loading.then(
    () => undefined,
    () => undefined,
  );
  return loading;
}

/** Resolves when it has loaded, or cannot be loaded. */
export function afterFirst(): Promise<unknown> {
  return first;
}
