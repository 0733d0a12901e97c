import type { Diagnostic } from '../source/diagnostic.ts';

export interface ProblemLogDeps {
  diagnostics(): readonly Diagnostic[];
  /** Problems as text. */
  describe(problems: readonly Diagnostic[]): string | Promise<string>;
  readonly log: { warn(message: string): void; error(message: string): void };
}

/** Prints problems of the content once each, until they are gone and come again. */
export interface ProblemLog {
  /** Prints what is new since the last call; notes alone are not printed. */
  printNew(): Promise<void>;
}

/** What there is at the start counts as printed. */
export function createProblemLog({ diagnostics, describe, log }: ProblemLogDeps): ProblemLog {
  let known = new Set(diagnostics().map(identity));
  return {
    async printNew() {
      const problems = diagnostics().filter(({ severity }) => severity !== 'info');
      const fresh = problems.filter((problem) => !known.has(identity(problem)));
      known = new Set(problems.map(identity));
      if (fresh.length === 0) return;
      const broken = fresh.some(({ severity }) => severity === 'error');
      log[broken ? 'error' : 'warn'](await describe(fresh));
    },
  };
}

function identity({ key, line, column, code, message }: Diagnostic): string {
  return [key, line, column, code, message].join('\0');
}
