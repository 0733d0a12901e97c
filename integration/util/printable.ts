/** Names and texts of content can hold what would break the line or speak to the terminal; that is shown escaped. */
export function printable(line: string): string {
  return line.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

// Controls, line separators, and what turns the direction of writing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
