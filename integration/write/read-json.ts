import { ApiError } from '../util/errors.ts';
import type { JsonValue } from '../util/json.ts';
import { errorMessage } from '../util/text.ts';

/** How deeply objects and lists may lie in one another. */
export const MAX_BODY_DEPTH = 64;

/** How many values one body may have: members of objects and items of lists, at all depths. */
export const MAX_BODY_VALUES = 20_000;

/**
 * The JSON of a request's body. Throws a 400 that says where it breaks off being JSON, or that it is too deep, and a 413
 * for too many values.
 */
export function readJson(text: string): JsonValue {
  if (text.trim() === '') throw bad('The body is empty; it should be JSON.');
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(`The body is not JSON: ${errorMessage(error)}.`);
  }
  checkSize(value);
  if (
    BIG_NUMBER.test(text) &&
    has(value, (each) => each === Number.POSITIVE_INFINITY || each === Number.NEGATIVE_INFINITY)
  ) {
    throw bad('The body has a number that is too large to be kept. Send it as a text.');
  }
  if (SURROGATE.test(text) && has(value, (each) => typeof each === 'string' && !each.isWellFormed())) {
    throw bad('The body has half a character: an escape such as \\ud83d without the one that belongs to it.');
  }
  return value;
}

/** Without recursion, which depth could break. No more values are read than a body may have. */
function checkSize(value: JsonValue): void {
  let level: readonly JsonValue[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_BODY_DEPTH) throw bad(`Objects and lists may lie ${MAX_BODY_DEPTH} deep in one another.`);
    const next: JsonValue[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      const inside = Object.values(each);
      count += inside.length;
      if (count > MAX_BODY_VALUES) throw tooMany();
      next.push(...inside);
    }
    level = next;
  }
}

/** Of a JSON text that is no deeper than `MAX_BODY_DEPTH`. Names of members count as well. */
function has(value: JsonValue, isIt: (value: JsonValue) => boolean): boolean {
  if (isIt(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((each: JsonValue) => has(each, isIt));
  return Object.entries(value).some(([name, each]) => isIt(name) || has(each, isIt));
}

/** Only such texts can hold any. */
const BIG_NUMBER = /[eE]\+?\d{3}|(?<!\d)\d{309}/;
const SURROGATE = /\\u[dD][89a-fA-F]/;

function bad(detail: string): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail, source: { pointer: '' } });
}

function tooMany(): ApiError {
  const detail = `A request may have ${MAX_BODY_VALUES} values: members of objects and items of lists. Send them in several requests.`;
  return new ApiError({ status: 413, title: 'Content Too Large', detail, source: { pointer: '' } });
}
