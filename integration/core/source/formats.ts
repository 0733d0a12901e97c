import type { DataLanguage, ParsedData } from './data.ts';
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

/** Of files with data only, the language of the data. */
export type FileFormat = 'markdown' | 'mdx' | DataLanguage;

/** The format of an entity in a file with this name; undefined for other files. */
export function formatOf(key: string): FileFormat | undefined {
  const end = extensionOf(key);
  return FORMATS[end] ?? dataFormats().find(({ extension }) => extension === end)?.language;
}

/** The ends of the names of files with entities. */
export function entityExtensions(): readonly string[] {
  return [...Object.keys(FORMATS), ...dataFormats().map(({ extension }) => extension)];
}

/** True for the name of a file that holds data only. */
export function isDataKey(key: string): boolean {
  const format = formatOf(key);
  return format !== undefined && isData(format);
}

/** True for the format of files that hold data only. */
export function isData(format: FileFormat): format is DataLanguage {
  return format !== 'markdown' && format !== 'mdx';
}

/** The path inside the bundle's folder without its extension; `x/index.md` and `x/_index.md` are `x`. */
export function idFromPath(path: string): string {
  const bare = path.slice(0, path.length - extensionOf(path).length);
  const id = bare.replace(/(^|\/)_index$/, '$1index');
  return id.endsWith('/index') ? id.slice(0, -'/index'.length) : id;
}

const FORMATS: Readonly<Record<string, FileFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mdx': 'mdx',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

/** With its dot, in lower case; empty without one. */
function extensionOf(key: string): string {
  const at = key.lastIndexOf('.');
  return at > key.lastIndexOf('/') + 1 ? key.slice(at).toLowerCase() : '';
}
