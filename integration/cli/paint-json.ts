import type { Paint } from '../source/diagnostic.ts';

/** JSON, indented by two, its names and values in colours. */
export function paintJson(value: unknown, paint: Paint): string {
  return JSON.stringify(value, null, 2).replace(
    TOKEN,
    (token: string, text: string | undefined, colon: string | undefined) =>
      colon !== undefined
        ? paint('place', text ?? '') + colon
        : paint(text === undefined ? 'warning' : 'hint', token),
  );
}

/** A text, with the colon after it where it is a name; or another scalar. */
const TOKEN = /("(?:[^"\\]|\\.)*"?)(:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
