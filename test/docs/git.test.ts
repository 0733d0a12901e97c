import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createGitSite, type GitSite, type OpenSite } from '../support/git-site.ts';
import { parseOptions } from '../support/options.ts';
import { formatJson } from './format-json.ts';

const FILE = new URL('../../docs/git.md', import.meta.url);
/** Headers that the examples show. */
const SHOWN = ['location', 'content-location'];
const EXAMPLE = /^```http( acknowledge)?\n([A-Z]+ \/.*?)^```\n\n```http\n(.*?)^```$/gms;
const LOG = /^```console\n(\$ git (.*?)\n)(.*?)^```$/gms;
const WORDS = /(?:[^\s"]|"[^"]*")+/g;
const OPTIONS = /^```js\njsonapi\((.*?)\);\n```$/gms;

let site: GitSite;
afterEach(async () => site.remove());

/** UPDATE_DOCS=1 writes the responses into the page instead of comparing them. */
it('docs/git.md shows the actual responses and commits', async () => {
  const page = readFileSync(FILE, 'utf8');
  site = await createGitSite({ 'article/moon.md': '---\ntitle: The moon # by heart\n---\nRises *late*.\n' });
  const count = () => site.git('rev-list', '--count', 'HEAD');
  let open = await site.open({ git: true });
  let job = '';
  let written = page;
  let examples = 0;
  for (const [example, acknowledges, request = ''] of page.matchAll(EXAMPLE)) {
    if (acknowledges !== undefined && job === '') {
      await open.close();
      open = await site.open({ git: { acknowledge: 'commit' } });
    }
    const before = count();
    const sent = request.replace('0'.repeat(24), job);
    const { id, text } = request.startsWith('GET')
      ? await eventually(() => finishedJob(open, sent))
      : await answerTo(open, sent);
    job = id ?? job;
    if (!request.startsWith('GET')) await eventually(() => expect(count()).not.toBe(before));
    const answer = `\`\`\`http${acknowledges ?? ''}\n${request}\`\`\`\n\n\`\`\`http\n${text}\`\`\``;
    written = written.replace(example, () => answer);
    if (examples === 0) {
      for (const [block, command = '', args = ''] of page.matchAll(LOG)) {
        const printed = site
          .git(...(args.match(WORDS) ?? []).map((each) => each.replaceAll('"', '')))
          .split('\n');
        const lines = printed.filter((line) => !line.startsWith('index '));
        written = written.replace(block, () => `\`\`\`console\n${command}${lines.join('\n')}\n\`\`\``);
      }
    }
    examples += 1;
  }
  if (process.env.UPDATE_DOCS === '1') writeFileSync(FILE, written);
  else expect(page).toBe(written);
  expect(examples).toBe(3);
});

it('docs/git.md shows existing options', () => {
  const shown = [...readFileSync(FILE, 'utf8').matchAll(OPTIONS)].map(([, code = '']) => code);
  expect(shown.length).toBeGreaterThan(3);
  for (const code of shown) expect(() => parseOptions(new Function(`return ${code}`)())).not.toThrow();
});

async function answerTo(
  { send }: OpenSite,
  request: string,
): Promise<{ id: string | undefined; text: string }> {
  const [head = '', body = ''] = request.split('\n\n');
  const [method = '', path = ''] = head.split('\n', 1)[0]?.split(' ') ?? [];
  const sent = await send(method, path, body.trim() === '' ? undefined : JSON.parse(body));
  const shown = SHOWN.flatMap((name) => {
    const value = sent.headers.get(name);
    return value === null ? [] : [`${name.replace(/(^|-)./g, (letter) => letter.toUpperCase())}: ${value}`];
  });
  const answered = [`HTTP/1.1 ${sent.status}`, ...shown, '', formatJson(sent.json)].join('\n');
  return { id: sent.json.meta?.job?.id, text: `${alike(answered)}\n` };
}

async function finishedJob(open: OpenSite, request: string): ReturnType<typeof answerTo> {
  const answer = await answerTo(open, request);
  expect(answer.text).not.toContain('"pending"');
  return answer;
}

/** Replaces values that vary with zeros. */
function alike(text: string): string {
  return text
    .replace(/"[0-9a-f]{40}"/g, `"${'0'.repeat(40)}"`)
    .replace(/[0-9a-z]{12}[0-9a-f]{12}(?=")/g, '0'.repeat(24))
    .replace(/(_jobs\/)[0-9a-z]{24}/g, `$1${'0'.repeat(24)}`)
    .replace(/"[0-9a-f]{16}"/g, `"${'0'.repeat(16)}"`)
    .replace(/"20\d\d-[^"]*Z"/g, '"2000-01-01T00:00:00.000Z"');
}
