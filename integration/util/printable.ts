/** Escapes characters of content that would break a line or control a terminal. */
export function printable(line: string): string {
  return line.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

// Control characters, line separators, and changes of text direction.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
