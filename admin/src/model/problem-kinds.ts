import type { Problem } from './status.ts';

/** The kind of a problem, by the beginning of its code. The first that fits counts. */
const PROBLEM_KINDS = [
  ['reference/', 'reference'],
  ['redirect/', 'redirect'],
  ['link/anchor', 'anchor'],
  ['link/moved', 'moved'],
  ['link/', 'link'],
  ['body/', 'file'],
  ['file/missing', 'file'],
  ['file/outside', 'file'],
  ['file/not-served', 'file'],
  ['file/', 'unreadable'],
  ['field/required', 'required'],
  ['field/unknown', 'field'],
  ['field/case', 'field'],
  ['field/renamed', 'field'],
  ['field/', 'value'],
  ['date/', 'value'],
  ['alias/duplicate', 'alias'],
  ['id/duplicate', 'id'],
  ['language/', 'language'],
  ['menu/', 'menu'],
  ['frontmatter/', 'unreadable'],
  ['yaml/', 'unreadable'],
  ['toml/', 'unreadable'],
  ['json/', 'unreadable'],
] as const;

/** The kind of a problem, for a sentence that describes it; undefined for one that only its message describes. */
export function problemKind({ code }: Pick<Problem, 'code'>): (typeof PROBLEM_KINDS)[number][1] | undefined {
  return PROBLEM_KINDS.find(([start]) => code.startsWith(start))?.[1];
}

/** The parts of a message: every second one was in backticks. */
export function codeParts(message: string): readonly string[] {
  const parts = message.split('`');
  return parts.length % 2 === 1 ? parts : [message];
}
