import type { ParsedData } from './data.ts';
import type { Locator } from './diagnostic.ts';
import type { EditOptions } from './edit/edit-tree.ts';
import type { RawMap } from './edit/raw.ts';
import type { EditedText } from './edit/splice.ts';

/** A language of frontmatter and of data files beside YAML and JSON, which a feature adds. */
export interface DataFormat {
  /** In lower case, such as `toml`. Frontmatter can begin with `---` and this name. */
  readonly language: string;
  /** Of entities in files of this format, with the dot. */
  readonly extension: string;
  /** The line above and below frontmatter of this format. */
  readonly fence: string;
  readonly hasNull: boolean;
  /** Characters that data may have. */
  readonly maxLength: number;
  read(text: string): ParsedData;
  /** Locates paths in data. */
  createLocator(text: string): Locator;
  /**
   * Turns the data `before` of a text into `after` and keeps everything else. Throws `NotEditableError` for a text that cannot
   * be edited in place.
   */
  edit(source: EditedText, before: RawMap, after: RawMap, options: EditOptions): string;
}

const formats = new Map<string, DataFormat>();

/** Adds a format to this process. Adding it again changes nothing. */
export function addDataFormat(format: DataFormat): void {
  formats.set(format.language, format);
}

export function findDataFormat(language: string): DataFormat | undefined {
  return formats.get(language);
}

export function dataFormats(): readonly DataFormat[] {
  return [...formats.values()];
}
