import { type ParsedData, noData, TOO_DEEP } from './parsed-data.ts';
import { readJson } from './read-json.ts';
import { readYaml } from './read-yaml.ts';

/** Characters of frontmatter, or of a `.json` or `.yaml` entity. */
export const MAX_DATA_LENGTH = 1024 * 1024;

export type DataLanguage = 'yaml' | 'json';

const READERS = { yaml: readYaml, json: readJson } as const satisfies Record<
  DataLanguage,
  (text: string) => ParsedData
>;

/** Parses frontmatter, or a whole data file, which start on the first line of their file. */
export function readData(text: string, language: DataLanguage): ParsedData {
  if (text.length > MAX_DATA_LENGTH) {
    const size = `${Math.ceil(text.length / 1024)} kB`;
    return noData('data/too-large', `The data is ${size}; at most ${MAX_DATA_LENGTH / 1024} kB are read.`);
  }
  try {
    return READERS[language](text);
  } catch (error) {
    // Nesting without end may exhaust the stack of a parser before any depth can be counted.
    if (error instanceof RangeError) {
      return noData('data/too-deep', TOO_DEEP);
    }
    throw error;
  }
}
