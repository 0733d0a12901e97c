import type { JsonValue } from '../entities/model.ts';
import { ApiError } from '../errors.ts';

/** How deeply objects and lists may lie in one another. */
export const MAX_BODY_DEPTH = 64;

/** The JSON of a request's body. Throws a 400 that says where it breaks off being JSON, or that it is too deep. */
export function readJson(text: string): JsonValue {
  if (text.trim() === '') throw bad('The body is empty; it should be JSON.');
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (isDeeper(value, MAX_BODY_DEPTH)) {
    throw bad(`Objects and lists may lie ${MAX_BODY_DEPTH} deep in one another.`);
  }
  return value;
}

/** Without recursion, which depth could break. */
function isDeeper(value: JsonValue, limit: number): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function bad(detail: string): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail, source: { pointer: '' } });
}
