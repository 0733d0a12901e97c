import { type DataLanguage, type ParsedData, TOO_DEEP, unreadableData } from './data.ts';
import type { Locator } from './diagnostic.ts';
import { findDataFormat } from './formats.ts';
import { readJson } from './json.ts';
import { createYamlLocator, readYaml } from './yaml.ts';

/** Characters of frontmatter, or of a `.json` or `.yaml` entity. */
export const MAX_DATA_LENGTH = 1024 * 1024;
/** Locates paths in data. Parses the text at the first call only. */
export function createLocator(text: string, language: DataLanguage): Locator {
  return findDataFormat(language)?.createLocator(text) ?? createYamlLocator(text);
}

/** Characters that data may have in a language. */
export function maxDataLength(language: DataLanguage): number {
  return findDataFormat(language)?.maxLength ?? MAX_DATA_LENGTH;
}

/** Parses frontmatter or a whole data file. Both start on the first line of their file. */
export function readData(text: string, language: DataLanguage): ParsedData {
  const limit = maxDataLength(language);
  if (text.length > limit) {
    const size = `${Math.ceil(text.length / 1024)} kB`;
    const message = `The data has ${size}; the limit is ${limit / 1024} kB.`;
    return unreadableData('data/too-large', message);
  }
  try {
    if (language === 'yaml') return readYaml(text);
    if (language === 'json') return readJson(text);
    const format = findDataFormat(language);
    if (format === undefined) throw new Error(`No feature adds the format ${language}.`);
    return format.read(text);
  } catch (error) {
    // Deep nesting can exhaust the stack of a parser before it counts the depth.
    if (error instanceof RangeError) return unreadableData('data/too-deep', TOO_DEEP);
    throw error;
  }
}
