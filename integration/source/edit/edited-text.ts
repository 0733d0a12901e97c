import type { DataLanguage } from '../source-data.ts';
import type { Layout } from './layout.ts';

/** A text to edit. It ends in a line break, unless it is empty. */
export interface EditedText {
  readonly text: string;
  readonly language: DataLanguage;
  readonly layout: Layout;
}

/** How maps and lists write their entries. Indexes are those of what they become. */
export interface EntryWriter {
  /** The lines of an added entry that stands in a column. */
  lines(index: number, column: number): readonly string[];
  /** An added entry in one line of YAML, or in JSON: `indent` is that of its line, null for all in one line. */
  flow(index: number, indent: string | null): string;
  /** The removed entry, by its index in what was, that is added again in another place. */
  again(index: number): number | undefined;
}
