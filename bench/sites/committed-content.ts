import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { xorshift } from '../data.ts';

export interface CommittedContent {
  /** Absolute path of the content folder, below the top of its repository. */
  readonly dir: string;
  /** Bytes of all files at HEAD. */
  readonly bytes: number;
}

const SEED = 20_261_125;
const FIRST_COMMIT = Date.UTC(2006, 0, 1) / 1000;
const HOUR = 3600;
/** One commit in this many moves an article to another year. */
const MOVES = 25;
const WORDS = (
  'tide harbour gull lantern chart compass reef anchor drift current shore quay mast rope salt fog bell light ' +
  'storm swell keel pilot ledger measure table margin draft letter signal window orchard river bridge mill'
).split(' ');

/**
 * Writes a repository: files without dates of their own, in folders by month. The first half of the commits creates all
 * files, the second half changes and moves them.
 */
export async function writeCommittedContent(
  top: string,
  { files, commits }: { readonly files: number; readonly commits: number },
): Promise<CommittedContent> {
  mkdirSync(top, { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'gc.auto=0', ...args], { cwd: top, stdio: ['ignore', 'inherit', 'inherit'] });
  git('init', '--quiet', '--initial-branch=main');
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: top, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(child, 'close');
  const sizes = new Map<string, number>();
  for (const commit of commitsOf(files, commits, sizes)) {
    if (!child.stdin.write(commit)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`);
  git('reset', '--quiet', '--hard', 'main');
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { dir: path.join(top, 'content'), bytes };
}

/** The input of `git fast-import`. Notes the size of each file in `sizes`. */
function* commitsOf(files: number, commits: number, sizes: Map<string, number>): Generator<string> {
  const random = xorshift(SEED);
  const below = (limit: number) => Math.floor(random() * limit);
  const words = (count: number) => Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' ');
  const people = Math.max(1, Math.floor(files / 40));
  const paths = Array.from({ length: files }, (_, at) =>
    at < people ? `content/person/person-${at}.md` : articlePath(at, below(12)),
  );
  const text = (at: number) => {
    if (at < people) return `---\ntitle: ${words(2)}\nfield_email: p${at}@example.org\n---\n\n${words(20)}\n`;
    const lines = [
      `title: "${words(3 + below(4))}: ${words(2)}"`,
      `status: ${below(10) > 0}`,
      `field_author: person-${below(people)}`,
      `field_rating: ${1 + below(5)}`,
      `field_section: ${WORDS[below(6)]}`,
    ];
    const body = Array.from({ length: 2 + below(5) }, () => `${words(20 + below(40))}.`).join('\n\n');
    return `---\nid: a${at}\n${lines.join('\n')}\n---\n\n${body}\n`;
  };
  const write = (at: number) => {
    const content = text(at);
    const file = paths[at] ?? '';
    const size = Buffer.byteLength(content);
    sizes.set(file, size);
    return `M 100644 inline ${file}\ndata ${size}\n${content}\n`;
  };
  const creating = Math.ceil(commits / 2);
  for (let commit = 0; commit < commits; commit += 1) {
    const message = `Commit ${commit}`;
    const who = `Bench <bench@example.org> ${FIRST_COMMIT + commit * HOUR} +0000`;
    const head = `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n${message}\n`;
    const from = Math.floor((commit * files) / creating);
    const to = Math.floor(((commit + 1) * files) / creating);
    const changed =
      commit < creating
        ? Array.from({ length: to - from }, (_, at) => from + at)
        : Array.from({ length: 1 + below(4) }, () => below(files));
    const moved = people + below(files - people);
    const isMove = commit >= creating && commit % MOVES === 0 && !changed.includes(moved);
    yield head + [...new Set(changed)].map(write).join('') + (isMove ? move(moved) : '');
  }

  function move(at: number): string {
    const former = paths[at] ?? '';
    const later = former.replace(/\/\d{4}\//, `/${2030 + below(5)}/`);
    if (sizes.has(later)) return '';
    paths[at] = later;
    sizes.set(later, sizes.get(former) ?? 0);
    sizes.delete(former);
    return `R ${former} ${later}\n`;
  }
}

function articlePath(at: number, month: number): string {
  return `content/article/${2000 + (at % 26)}/${String(month + 1).padStart(2, '0')}/article-${at}.md`;
}
