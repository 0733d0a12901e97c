import { type ParsedData, TOO_DEEP, unreadableData } from './data.ts';
import { readJson } from './json.ts';
import { readYaml } from './yaml.ts';

/** Characters of frontmatter, or of a `.json` or `.yaml` entity. */
export const MAX_DATA_LENGTH = 1024 * 1024;

const READERS = { yaml: readYaml, json: readJson } as const;

export type DataLanguage = keyof typeof READERS;

/** Parses frontmatter or a whole data file. Both start on the first line of their file. */
export function readData(text: string, language: DataLanguage): ParsedData {
  if (text.length > MAX_DATA_LENGTH) {
    const size = `${Math.ceil(text.length / 1024)} kB`;
    const message = `The data has ${size}; the limit is ${MAX_DATA_LENGTH / 1024} kB.`;
    return unreadableData('data/too-large', message);
  }
  try {
    return READERS[language](text);
  } catch (error) {
    // Deep nesting can exhaust the stack of a parser before it counts the depth.
    if (error instanceof RangeError) return unreadableData('data/too-deep', TOO_DEEP);
    throw error;
  }
}
