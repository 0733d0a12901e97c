import { BadParameterError, BeyondLimitError } from './errors.ts';

/**
 * The results of independent parts of a query. If some are wrong, throws one error about all of them, in their order. Parts
 * after one that is beyond a limit do not run.
 */
export function collectErrors<const Parts extends readonly (() => unknown)[]>(
  ...parts: Parts
): Results<Parts> {
  const mistakes: BadParameterError[] = [];
  const results: unknown[] = [];
  for (const part of parts) {
    try {
      results.push(part());
    } catch (error) {
      if (!(error instanceof BadParameterError)) throw error;
      mistakes.push(error);
      if (error instanceof BeyondLimitError) break;
    }
  }
  throwAll(mistakes);
  // Every part has returned.
  return results as Results<Parts>;
}

/** Throws the first error with the others, if there are any. Equal ones count once. */
export function throwAll(errors: readonly BadParameterError[]): void {
  const all = errors.flatMap((error) => [error, ...error.others]);
  const different = new Map(all.map((error) => [`${error.source?.parameter} ${error.detail}`, error]));
  const [first, ...others] = different.values();
  if (first !== undefined) throw others.length === 0 ? first : first.with(others);
}

type Results<Parts extends readonly (() => unknown)[]> = {
  -readonly [Key in keyof Parts]: Parts[Key] extends () => infer Result ? Result : never;
};
