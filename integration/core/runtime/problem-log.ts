import type { Diagnostic } from '../source/diagnostic.ts';

export interface ProblemLogDeps {
  diagnostics(): readonly Diagnostic[];
  /** Formats problems as text. */
  describe(problems: readonly Diagnostic[]): string | Promise<string>;
  readonly log: { warn(message: string): void; error(message: string): void };
}

/** Prints each problem of the content once, and again if it comes back after it was fixed. */
export interface ProblemLog {
  /** Prints the warnings and errors that are new since the last call. */
  printNew(): Promise<void>;
}

/** The problems at the start count as printed. */
export function createProblemLog({ diagnostics, describe, log }: ProblemLogDeps): ProblemLog {
  let printed = new Set(diagnostics().map(identity));
  return {
    async printNew() {
      const problems = diagnostics().filter(({ severity }) => severity !== 'info');
      const fresh = problems.filter((problem) => !printed.has(identity(problem)));
      printed = new Set(problems.map(identity));
      if (fresh.length === 0) return;
      const hasErrors = fresh.some(({ severity }) => severity === 'error');
      log[hasErrors ? 'error' : 'warn'](await describe(fresh));
    },
  };
}

function identity({ key, line, column, code, message }: Diagnostic): string {
  return [key, line, column, code, message].join('\0');
}
