import matter from 'gray-matter';
import { FILE_START, type Problem } from './diagnostic.ts';
import type { DataLanguage } from './source-data.ts';

/** A markdown file in its two parts. */
export interface MarkdownParts {
  readonly language: DataLanguage;
  /** The frontmatter between its fences; empty where there is none. It starts on the file's first line. */
  readonly frontmatter: string;
  /** Offset in the file's text where the body starts. */
  readonly bodyStart: number;
  readonly problems: readonly Problem[];
}

/** Splits only: the data is read by `source-data.ts`, and nothing in it is ever evaluated. */
export function splitMarkdown(text: string): MarkdownParts {
  const opening = OPENING.exec(text);
  if (opening === null) {
    return {
      language: 'yaml',
      frontmatter: '',
      bodyStart: text.startsWith(BYTE_ORDER_MARK) ? 1 : 0,
      problems: [],
    };
  }
  const written = (opening[1] ?? '').trim().toLowerCase();
  const language = LANGUAGES[written];
  if (language === undefined) {
    const message = `Frontmatter in \`${written}\` is not read: it would have to be run as code or is unknown here.`;
    return refused(text, 'frontmatter/language', message, 'Write it in YAML, between two lines of `---`.');
  }
  if (!text.includes('\n---', opening[0].length)) {
    return refused(
      text,
      'frontmatter/unclosed',
      'The frontmatter has no closing line.',
      'Add a line of `---` after it.',
    );
  }
  const file = matter(text, { engines: NOTHING_IS_PARSED, language: 'yaml' });
  // gray-matter cuts before the line break of the closing line, which leaves half a break of a Windows file.
  const frontmatter = `${file.matter}\n`;
  return { language, frontmatter, bodyStart: text.length - file.content.length, problems: [] };
}

function refused(text: string, code: string, message: string, hint: string): MarkdownParts {
  const problem: Problem = { severity: 'error', code, ...FILE_START, message, hint };
  return { language: 'yaml', frontmatter: '', bodyStart: text.length, problems: [problem] };
}

const BYTE_ORDER_MARK = '\ufeff';
const OPENING = /^\ufeff?---(?!-)([^\n]*)/;
/** Null prototype: `---constructor` is a language like any other unknown one. */
const LANGUAGES: Readonly<Record<string, DataLanguage>> = Object.assign(Object.create(null), {
  '': 'yaml',
  yaml: 'yaml',
  yml: 'yaml',
  json: 'json',
});

const nothing = () => ({});
/** gray-matter's own engines are all replaced: its JavaScript one evaluates what it is given. */
const NOTHING_IS_PARSED = {
  yaml: nothing,
  yml: nothing,
  json: nothing,
  javascript: nothing,
  coffee: nothing,
};
