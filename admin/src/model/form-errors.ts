import type { RequestError } from '../api/content.ts';
import { problemText } from '../api/problem-texts.ts';
import type { Field } from '../api/schema.ts';
import { text } from '../texts/texts.ts';
import { isFilled, isRequired } from './document.ts';
import type { Values } from './entity-form.ts';
import { type FieldErrors, type PartErrors, placeErrors } from './field-errors.ts';

/** The errors of a refused change at the fields of the form that sent it, and all of them in one message. */
export async function formErrors(
  error: RequestError,
  fields: readonly Field[],
  values: Values,
): Promise<FieldErrors & { readonly message: string }> {
  // In operations, pointers start at the operation.
  const problems = await Promise.all(
    error.problems.map(async (problem) => {
      const pointer = problem.source.pointer?.replace(/^\/atomic:operations\/\d+/, '');
      const source = { ...problem.source, ...(pointer !== undefined && { pointer }) };
      return { ...problem, detail: await problemText(problem), source };
    }),
  );
  const message = problems.map(({ detail }) => detail).join(' ') || error.message;
  const { byField, byPart, others } = placeErrors(problems, fields, values);
  const messages = fields.flatMap((field): [string, readonly string[]][] => {
    const found = byField.get(field.name);
    if (found === undefined) return [];
    const isMissing = isRequired(field) && !isFilled(values[field.name] ?? null);
    return [[field.name, isMissing ? [text('field.fillIn')] : found]];
  });
  const partMessages = [...byPart].map(([path, errors]): [string, PartErrors] => {
    const isMissing = errors.messages.some((each) => MISSING.test(each));
    return [path, isMissing ? { ...errors, messages: [text('field.fillIn')] } : errors];
  });
  return { byField: new Map(messages), byPart: new Map(partMessages), others, message };
}

/** The server's words about a property without a value. */
const MISSING = /received (?:undefined|null)\b/;
