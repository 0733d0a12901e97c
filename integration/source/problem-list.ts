import type { DataPath, Position, Problem } from './diagnostic.ts';

/** Problems of one severity told of one file; nobody reads more, and finding each place takes time. */
export const MAX_PROBLEMS = 50;

/** Collects the problems of one file. */
export interface ProblemList {
  readonly problems: readonly Problem[];
  /** `place` is asked only where the problem is told. */
  add(
    severity: Problem['severity'],
    code: string,
    message: string,
    place: () => Position,
    hint?: string,
    path?: DataPath,
  ): void;
}

export function createProblemList(): ProblemList {
  const problems: Problem[] = [];
  const counts = { error: 0, warning: 0, info: 0 };
  return {
    problems,
    add(severity, code, message, place, hint, path) {
      counts[severity] += 1;
      if (counts[severity] <= MAX_PROBLEMS) {
        problems.push({
          severity,
          code,
          ...place(),
          message,
          ...(hint === undefined ? {} : { hint }),
          ...(path === undefined ? {} : { path }),
        });
      } else if (counts[severity] === MAX_PROBLEMS + 1) {
        const rest = `There are more than ${MAX_PROBLEMS} such problems; the others are not listed.`;
        problems.push({ severity, code: 'file/more-problems', ...place(), message: rest });
      }
    },
  };
}
