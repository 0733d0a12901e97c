import { MethodNotAllowedError } from '../util/errors.ts';

/** Throws a 405 that says what is allowed. */
export function checkMethod(method: string, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new MethodNotAllowedError(method, allowed);
}
