import type { Expression, ObjectExpression } from 'acorn';
import { type ConfigSource, propertyOf } from '../edit-config.ts';

/**
 * The text of a config in which an option has a value, as code. The rest of the text stays. Undefined if the options are not
 * written in the call.
 */
export function setOption(
  { text, call }: ConfigSource,
  names: readonly string[],
  value: string,
): string | undefined {
  if (call === undefined) return undefined;
  const [first] = call.arguments;
  const replace = (start: number, end: number, code: string) => text.slice(0, start) + code + text.slice(end);
  if (first === undefined) return replace(call.end - 1, call.end - 1, nested(names, value));
  let target: Expression | undefined = first.type === 'SpreadElement' ? undefined : first;
  for (const [index, name] of names.entries()) {
    if (target?.type !== 'ObjectExpression') return undefined;
    const present: Expression | undefined = propertyOf(target, name);
    // Names that come from elsewhere cannot be seen.
    if (target.properties.some(({ type }) => type === 'SpreadElement')) return undefined;
    if (present === undefined) {
      const code = nested(names.slice(index), value).slice(2, -2);
      const { start, end, text: added } = insertion(text, target, code);
      return replace(start, end, added);
    }
    target = present;
  }
  return target && replace(target.start, target.end, value);
}

/** `{ a: { b: value } }`. */
function nested(names: readonly string[], value: string): string {
  return names.reduceRight((code, name) => `{ ${name}: ${code} }`, value);
}

/** Before the first property: on a line of its own if that has one. */
function insertion(text: string, object: ObjectExpression, code: string) {
  const [first] = object.properties;
  const inside = object.start + 1;
  if (first === undefined) return { start: object.start, end: object.end, text: `{ ${code} }` };
  const [newline] = /\r?\n/.exec(text.slice(inside, first.start)) ?? [];
  if (newline === undefined) return { start: first.start, end: first.start, text: `${code}, ` };
  const indent = text.slice(text.lastIndexOf('\n', first.start) + 1, first.start);
  return { start: inside, end: inside, text: `${newline}${indent}${code},` };
}
