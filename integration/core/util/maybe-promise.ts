/** Applies `use` to a value, synchronously if the value is not a promise. */
export function mapValue<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** The values at once if none of them is a promise. */
export function allValues<T>(values: readonly (T | Promise<T>)[]): readonly T[] | Promise<readonly T[]> {
  const present = values.filter((value): value is Awaited<T> & T => !(value instanceof Promise));
  return present.length === values.length ? present : Promise.all(values);
}
