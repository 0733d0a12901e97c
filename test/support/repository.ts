import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** A git repository in a temporary folder, with the content in `content/`. */
export interface TestRepository {
  readonly folder: string;
  readonly content: string;
  /** Runs git and returns its output without the final line break. */
  git(...args: readonly string[]): string;
  /** Writes these files below `content/` (null removes one), commits everything and returns the hash. */
  commit(files: Readonly<Record<string, string | null>>, seconds?: number): string;
}

export function createRepository(...init: readonly string[]): TestRepository {
  const folder = temporaryFolder();
  const content = join(folder, 'content');
  mkdirSync(content);
  let date = '@0 +0000';

  function git(...args: readonly string[]): string {
    return execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
    }).trimEnd();
  }

  git('init', '-q', '-b', 'main', ...init);
  return {
    folder,
    content,
    git,
    commit(files, seconds = 1_700_000_000) {
      date = `@${seconds} +0000`;
      for (const [path, text] of Object.entries(files)) {
        const file = join(content, path);
        mkdirSync(dirname(file), { recursive: true });
        if (text === null) rmSync(file);
        else writeFileSync(file, text);
      }
      git('add', '-A');
      git('commit', '-q', '--no-verify', '--allow-empty', '-m', 'change');
      return git('rev-parse', 'HEAD');
    },
  };
}
