import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { runGit } from '../../core/runtime/run-git.ts';
import { findGitFolder, keyOf, undefinedIfUnreadable } from '../../core/storage/drivers/fs-paths.ts';

/** A line of a `.gitignore`. */
interface Rule {
  readonly ignores: boolean;
  readonly onlyFolders: boolean;
  /** Matches the name or the path below the folder of the rule. */
  readonly pattern: RegExp;
  readonly isOfName: boolean;
}

/** The rules of one file. */
interface RuleFile {
  /** Relative to the top folder; empty for the top folder itself. */
  readonly folder: string;
  readonly rules: readonly Rule[];
}

/** True for keys that git ignores: see `readIgnoreRules`. Files that git has are not ignored, whatever the rules say. */
export async function findIgnored(
  root: string,
  keys: readonly string[],
  folders: readonly string[],
): Promise<(key: string) => boolean> {
  const isIgnored = readIgnoreRules(root, keys, folders);
  if (!keys.some(isIgnored)) return isIgnored;
  // Outside a repository, or without git, no file is tracked.
  const printed = await runGit(root, ['ls-files', '-z']).catch(() => '');
  const tracked = new Set(printed.split('\0'));
  return (key) => isIgnored(key) && !tracked.has(key);
}

/**
 * Reads the `.gitignore` files of a content folder and of the folders around it, up to the top of the repository, or without one
 * up to the next package. The result is true for keys that they leave out. A rule for the content folder or for one of
 * `folders` itself, or for every page in it, does not count there: such content was fetched. `keys` are all files of the content.
 */
export function readIgnoreRules(
  root: string,
  keys: readonly string[],
  folders: readonly string[],
): (key: string) => boolean {
  const top = findGitFolder(root)?.top ?? findPackage(root) ?? root;
  const prefix = keyOf(top, root) ?? '';
  const pathOf = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);
  const within = keys.filter((key) => GITIGNORE.test(key)).map((key) => parentOf(pathOf(key)));
  // Inner files first, because their rules win.
  const files = [...new Set([...parentsOf(prefix), ...within])]
    .sort((a, b) => b.length - a.length)
    .map((folder) => ({ folder, rules: readRules(join(top, folder, '.gitignore')) }))
    .filter(({ rules }) => rules.length > 0);
  const bases = [prefix, ...folders.filter((folder) => folder !== '').map(pathOf)]
    .sort((a, b) => b.length - a.length)
    .map((base) => ({ base, isIgnored: ignoredBelow(base, files) }));
  return (key) => {
    const path = pathOf(key);
    return bases.find(({ base }) => isBelow(path, base))?.isIgnored(path) === true;
  };
}

const GITIGNORE = /(?:^|\/)\.gitignore$/;

/** Tests the paths below a folder. */
function ignoredBelow(base: string, all: readonly RuleFile[]): (path: string) => boolean {
  const everything = PROBES.map((name) => (base === '' ? name : `${base}/${name}`));
  const files = all.map(({ folder, rules }) => {
    const counting = rules.filter(
      (rule) =>
        !rule.ignores ||
        !isBelow(everything[0]!, folder) ||
        !everything.some((path) => isMatch(rule, folder, path)),
    );
    return { folder, rules: counting, isCandidate: candidates(counting, folder) };
  });
  const cached = new Map<string, boolean>();

  function decide(path: string, isFolder: boolean): boolean {
    for (const { folder, rules, isCandidate } of files) {
      if (!isBelow(path, folder) || !isCandidate(path)) continue;
      const rule = rules.find((each) => (isFolder || !each.onlyFolders) && isMatch(each, folder, path));
      if (rule !== undefined) return rule.ignores;
    }
    return false;
  }

  /** Whatever is in an ignored folder is ignored, even if another rule says no. */
  function isFolderIgnored(folder: string): boolean {
    if (folder === '' || !isBelow(folder, base)) return false;
    const isIgnored = cached.get(folder) ?? (isFolderIgnored(parentOf(folder)) || decide(folder, true));
    cached.set(folder, isIgnored);
    return isIgnored;
  }

  return (path) => isFolderIgnored(parentOf(path)) || decide(path, false);
}

/** Pages that no folder has: a rule that matches one of them is about every page. */
const PROBES = ['\u0001', '\u0001.md', '\u0001.mdx'];

function isMatch({ pattern, isOfName }: Rule, folder: string, path: string): boolean {
  return pattern.test(isOfName ? nameOf(path) : below(folder, path));
}

/** True for the paths that some rules may match. Most paths match none, so all rules are tried at once. */
function candidates(rules: readonly Rule[], folder: string): (path: string) => boolean {
  const [ofNames, ofPaths] = [true, false].map((isOfName) => {
    const patterns = rules.filter((rule) => rule.isOfName === isOfName).map(({ pattern }) => pattern.source);
    return new RegExp(patterns.length === 0 ? '(?!)' : patterns.join('|'));
  }) as [RegExp, RegExp];
  return (path) => ofNames.test(nameOf(path)) || ofPaths.test(below(folder, path));
}

/** Without the blanks at the end, of which a backslash keeps the first. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}

/** The rules of a `.gitignore`, the last one first, because it wins. Source: gitignore(5). */
function readRules(file: string): readonly Rule[] {
  const text = undefinedIfUnreadable(() => readFileSync(file, 'utf8')) ?? '';
  const rules = text.split(/\r?\n/).flatMap((line): readonly Rule[] => {
    const plain = line.replace(/^\ufeff/, '');
    const mark = plain.startsWith('!') ? '!' : '';
    const written = withoutBlanks(plain.slice(mark.length));
    const path = written.replace(/\/$/, '');
    if (path === '' || (mark === '' && written.startsWith('#'))) return [];
    const glob = path
      .replace(/^\//, '')
      .replaceAll(/(?<!\\)[(){}|+$@]/g, '\\$&')
      .replaceAll(/(?<!\\)\[!/g, '[^')
      .replace(/\/\*\*$/, '/**/*');
    // Unlike its RegExp, picomatch's own test is true for a path that is equal to the glob.
    const pattern = picomatch.makeRe(glob, GIT_SYNTAX);
    const onlyFolders = written.endsWith('/');
    return [{ ignores: mark === '', onlyFolders, pattern, isOfName: !path.includes('/') }];
  });
  return rules.reverse();
}

const GIT_SYNTAX = {
  dot: true,
  literalBrackets: false,
  noextglob: true,
  nonegate: true,
  strictSlashes: true,
  windows: false,
};

function findPackage(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder;
  return folder === dirname(folder) ? undefined : findPackage(dirname(folder));
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function below(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** The folders around a folder. */
function parentsOf(folder: string): readonly string[] {
  return folder === '' ? [] : [...parentsOf(parentOf(folder)), parentOf(folder)];
}
