import { stripVTControlCharacters } from 'node:util';
import type { Fault, FaultPlace } from './error-overlay.ts';

/** Runs what loads a schema module, so that errors thrown in it have the places of its source. */
export async function withSourcePlaces<T>(load: () => Promise<T>): Promise<T> {
  const before = process.sourceMapsEnabled;
  process.setSourceMapsEnabled(true);
  try {
    return await load();
  } catch (error) {
    // A stack is written when it is first read.
    for (const each of causes(error)) void each.stack;
    throw error;
  } finally {
    process.setSourceMapsEnabled(before);
  }
}

/** An error of a schema module, at its place in one of `files` (absolute paths) where that is known. */
export function schemaFault(error: unknown, files: readonly string[]): Fault {
  const [first] = causes(error);
  const message = stripVTControlCharacters(first?.message ?? String(error));
  const place = causes(error)
    .map((cause) => placeIn(stripVTControlCharacters(`${cause.message}\n${cause.stack}`), files))
    .find((found) => found !== undefined);
  const [file] = files;
  return {
    message: withoutDrawing(message),
    hint: 'Until it is mended, the content is answered by the last schema that could be loaded.',
    place: place ?? (file === undefined ? undefined : { file, line: 1, column: 1 }),
  };
}

function causes(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

/** The first place in a text, as stacks and parsers write it, that lies in one of the files. */
function placeIn(text: string, files: readonly string[]): FaultPlace | undefined {
  for (const word of text.split(/[\s()[\]]+/)) {
    const [, name, line, column] = /^(.+):(\d+):(\d+)/.exec(word) ?? [];
    if (name === undefined) continue;
    const written = name.replace(/^file:\/\//, '').replaceAll('\\', '/');
    const file = files.find((each) => each === written || each.replaceAll('\\', '/').endsWith(`/${written}`));
    if (file !== undefined) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

// Parsers draw the line at fault below their message; the overlay shows it as well.
function withoutDrawing(message: string): string {
  return message
    .split('\n')
    .filter((line) => line.trim() !== '' && !/[╭│╰─┬]/.test(line))
    .join(' ');
}
