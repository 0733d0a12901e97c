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

/** Problems of one entry, or of one redirect, in the order of the first. */
export function groupProblems(problems: readonly Problem[]): readonly (readonly [Problem, ...Problem[]])[] {
  const groups = new Map<string, [Problem, ...Problem[]]>();
  for (const problem of problems) {
    const key = problem.code.startsWith('redirect/') ? problem.message : problem.file;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [problem]);
    else group.push(problem);
  }
  return [...groups.values()];
}

/** The problems of a group, once for each kind, or message without a kind, with the addresses or fields. */
export function sentencesOf(group: readonly Problem[]) {
  const sentences = new Map<string, { readonly problem: Problem; readonly places: Set<string> }>();
  for (const problem of group) {
    const key = problemKind(problem) ?? problem.message;
    const sentence = sentences.get(key) ?? { problem, places: new Set() };
    sentences.set(key, sentence);
    const place = placeIn(problem);
    if (place !== '') sentence.places.add(place);
  }
  return [...sentences.values()].map(({ problem, places }) => ({
    kind: problemKind(problem),
    message: problem.message,
    places: [...places],
  }));
}

/** The address that a problem of a link or a redirect is about, the name of a field, else empty. */
export function placeIn({ code, message }: Problem): string {
  return /^(?:link|redirect|field)/.test(code) ? (codeParts(message)[1] ?? '') : '';
}

/** The parts of a message: every second one was in backticks. */
export function codeParts(message: string): readonly string[] {
  const parts = message.split('`');
  return parts.length % 2 === 1 ? parts : [message];
}
