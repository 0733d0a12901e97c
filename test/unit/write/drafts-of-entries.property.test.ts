import { expect, it } from 'vitest';
import { z } from '../../../integration/schema.ts';
import { runs } from '../../oracle/runs.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createRandom } from '../../support/random.ts';
import { adminApp, createServices } from '../../support/services.ts';

const ROOT = { name: 'root', roles: ['administrator'] };
const SCHEMA = {
  article: z.object({ title: z.string(), height: z.number(), motto: z.string().nullish() }),
};
const LINES = ['One', 'Two', 'Three', 'Four', 'Five'];
/** What both people change. */
const FIELDS = ['title', 'motto', 'body'] as const;
type Name = (typeof FIELDS)[number];
type Values = Partial<Record<Name | 'height' | 'status', unknown>>;

/** A word of one person, with its field and, in a text, its section. */
interface Word {
  readonly name: Name;
  readonly word: string;
  readonly section: string | undefined;
}

/**
 * One person has unfinished changes of an entry, and the other changes, takes down, deletes and restores the entry. A word that one
 * of them has written is gone only after one of them has seen and removed it, or has decided against it. The entry is there, and
 * published, only if the other person wanted it.
 */
async function walk(seed: number): Promise<void> {
  const random = createRandom(seed);
  const number = (below: number) => Math.floor(random() * below);
  const one = <Item>(items: readonly Item[]): Item => items[number(items.length)] as Item;
  // In sections with the same lines, the place of a line is ambiguous.
  const isRepetitive = random() < 0.5;
  const section = (title: string) => [
    `# ${title}`,
    ...LINES.map((line) => (isRepetitive ? line : `${line} (${title})`)),
  ];
  const body = ['Mon', 'Tue', 'Wed'].flatMap(section).join('\n\n');
  const stored = `---\ntitle: A\nheight: 2\nmotto: M\n---\n\n${body}\n`;
  const services = await createServices(createMemoryDriver({ 'article/a.md': stored }), SCHEMA, {
    settings: { admin: true },
    writable: { options: { requireIfMatch: true } },
  });
  const handle = createHandler(services, { adminApp });
  const read = async (path: string) => (await ask(handle, 'GET', `/jsonapi/${path}`, { actor: ROOT })).json;
  const send = async (method: string, path: string, attributes: Values, revision: string) => {
    const data = { type: 'node--article', id: 'a', attributes };
    const headers = { 'if-match': `"${revision}"` };
    return ask(handle, method, `/jsonapi/${path}`, { actor: ROOT, body: { data }, headers });
  };
  const [ENTRY, DRAFT] = ['node/article/a', '_drafts/node--article/a'];

  let words: readonly Word[] = [];
  const log: string[] = [];
  let count = 0;
  let isDeleted = false;
  let isPublished = true;

  /** A change of some fields by a person who sees these values. `isFree` is false for what waits for a decision. */
  function edit(who: string, seen: Record<Name, unknown>, isFree: (name: Name) => boolean): Values {
    const values: Values = {};
    for (const name of FIELDS.filter((each) => isFree(each) && random() < 0.5)) {
      const word = `${who}${count++}`;
      const before = textOf(seen[name]);
      const after = name === 'body' ? changedText(before, word) : word;
      values[name] = name === 'body' ? { value: after } : after;
      words = words.filter((each) => each.name !== name || !has(before, each) || has(after, each));
      if (after.includes(word)) words = [...words, { name, word, section: sectionOf(after, word) }];
    }
    return values;
  }

  /** The text with a line added, changed or removed, a section removed, or a new section. */
  function changedText(text: string, word: string): string {
    const lines = paragraphs(text);
    const at = number(lines.length + 1);
    const isTitle = lines[at]?.startsWith('# ') === true;
    const kind = one(['change', 'change', 'add', 'add', 'remove', 'remove section', 'add section']);
    const titles = lines.flatMap((line, index) => (line.startsWith('# ') ? [index] : []));
    if (kind === 'add section') {
      const place = one([...titles, lines.length]);
      return lines.toSpliced(place, 0, ...section(word)).join('\n\n');
    }
    if (kind === 'remove section' && titles.length > 1) {
      const from = one(titles);
      const to = titles.find((index) => index > from) ?? lines.length;
      return lines.toSpliced(from, to - from).join('\n\n');
    }
    if (kind === 'add' || isTitle || at === lines.length) {
      return lines.toSpliced(Math.max(at, 1), 0, word).join('\n\n');
    }
    return lines.toSpliced(at, 1, ...(kind === 'remove' ? [] : [word])).join('\n\n');
  }

  /** Takes one of the two versions, or writes both. */
  function decide(name: Name, mine: unknown, theirs: unknown): unknown {
    const [own, other] = [mine, theirs].map(textOf) as [string, string];
    const chosen = one([
      own,
      other,
      name === 'body' ? `${own.trim()}\n\n${other.trim()}` : `${own} ${other}`,
    ]);
    words = words
      .filter((each) => each.name !== name || has(chosen, each))
      // In a text with both versions, a section can stand twice.
      .map((each) => (each.name === name ? { ...each, section: undefined } : each));
    return name === 'body' ? { value: chosen } : chosen;
  }

  /** The words that are not in the draft are in the bin. */
  async function checkDeleted(): Promise<void> {
    expect((await ask(handle, 'GET', `/jsonapi/${ENTRY}`, { actor: ROOT })).status, log.join(', ')).toBe(410);
    const { source } = (await read(`_bin/${(await read('_bin')).data[0].id}`)).data.attributes;
    const draft = (await read(DRAFT)).data;
    const problems = draft?.meta.draft.problems ?? [{ code: 'draft/entry-deleted' }];
    expect(problems, log.join(', ')).toMatchObject([{ code: 'draft/entry-deleted' }]);
    for (const each of words) {
      const versions = [source, textOf(draft?.attributes[each.name])];
      const lost = `Lost: ${each.word} in ${each.name}. Seed ${seed}: ${log.join(', ')}`;
      expect(
        versions.some((text) => has(text, each)),
        lost,
      ).toBe(true);
    }
  }

  async function check(): Promise<void> {
    if (isDeleted) return checkDeleted();
    const entry = await read(ENTRY);
    expect(entry.data?.attributes.status, log.join(', ')).toBe(isPublished);
    const draft = await read(DRAFT);
    const { conflicts } = draft.data?.meta.draft ?? {};
    const shown = (draft.data ?? entry.data).attributes;
    for (const each of words) {
      const versions = [shown[each.name], ...(conflicts ? [conflicts.present.attributes[each.name]] : [])]
        .filter((value) => value !== undefined)
        .map(textOf);
      const where = versions.filter((text) => has(text, each));
      const found = `${each.word} in ${each.name}. Seed ${seed}: ${log.join(', ')}. Found: ${versions.join(' | ')}`;
      expect(where.length, `Lost: ${found}`).toBeGreaterThan(0);
      if (isRepetitive || each.section === undefined) continue;
      for (const text of where) expect(sectionOf(text, each.word), `Moved: ${found}`).toBe(each.section);
    }
  }

  for (let step = 0; step < STEPS; step++) {
    const entry = (await read(ENTRY)).data;
    const draft = (await read(DRAFT)).data;
    if (isDeleted && (draft === undefined || random() < 0.4)) {
      log.push('restore');
      const [{ id }] = (await read('_bin')).data;
      const restored = await ask(handle, 'POST', `/jsonapi/_bin/${id}`, { actor: ROOT });
      expect(restored.status, log.join(', ')).toBe(204);
      isDeleted = false;
    } else if (isDeleted) {
      const values = { ...edit('mine', draft.attributes, () => true), height: one([3, null]) };
      const isPublishing = random() < 0.2;
      log.push(`${isPublishing ? 'publish' : 'mine'} ${JSON.stringify(values)}`);
      if (isPublishing) {
        const refused = await send('PATCH', DRAFT, { ...values, status: true }, draft.meta.revision);
        expect(refused.status, log.join(', ')).toBe(409);
      }
      const { status } = await send('PATCH', DRAFT, values, draft.meta.revision);
      expect(status, log.join(', ')).toBe(200);
    } else if (random() < 0.15) {
      log.push('delete');
      const headers = { 'if-match': `"${entry.meta.revision}"` };
      const deleted = await ask(handle, 'DELETE', `/jsonapi/${ENTRY}`, { actor: ROOT, headers });
      expect(deleted.status, log.join(', ')).toBe(204);
      isDeleted = true;
    } else if (random() < 0.4) {
      isPublished = random() < 0.5;
      const values = { ...edit('theirs', entry.attributes, () => true), status: isPublished };
      log.push(`theirs ${JSON.stringify(values)}`);
      const { status } = await send('PATCH', ENTRY, values, entry.meta.revision);
      expect(status, log.join(', ')).toBe(200);
    } else if (draft === undefined) {
      const values = { ...edit('mine', entry.attributes, () => true), height: null };
      log.push(`begin ${JSON.stringify(values)}`);
      const { status } = await send('POST', DRAFT, values, entry.meta.revision);
      expect(status, log.join(', ')).toBe(201);
    } else {
      const present = draft.meta.draft.conflicts?.present.attributes ?? {};
      const height = random() < 0.3 ? 3 : null;
      const isDisputed = (name: Name) => Object.hasOwn(present, name);
      const disputed = FIELDS.filter(isDisputed);
      const some = disputed.filter(() => random() < 0.7);
      if (some.length < disputed.length) {
        // An incomplete decision changes nothing.
        const undecided = Object.fromEntries(some.map((name) => [name, draft.attributes[name]]));
        log.push(`undecided ${JSON.stringify(Object.keys(undecided))}`);
        const { status } = await send('PATCH', DRAFT, { ...undecided, height }, draft.meta.revision);
        expect(status, log.join(', ')).toBe(409);
      } else {
        const decided = disputed.map((name) => [name, decide(name, draft.attributes[name], present[name])]);
        const values = {
          ...edit('mine', draft.attributes, (name) => !isDisputed(name)),
          ...Object.fromEntries(decided),
          height,
        };
        log.push(`mine ${JSON.stringify(values)}`);
        const { status } = await send('PATCH', DRAFT, values, draft.meta.revision);
        expect(status, log.join(', ')).toBe(200);
      }
    }
    await check();
  }
}

const STEPS = 14;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ((value as { value?: string } | null)?.value ?? '');
}

function paragraphs(text: string): readonly string[] {
  return text.trim().split(/\n\n+/);
}

/** True if a text has the word as a line, or a title. */
function has(text: string, { word }: Pick<Word, 'word'>): boolean {
  return text.split(/[\s#]+/).includes(word);
}

/** The title before a word. Undefined for a title. */
function sectionOf(text: string, word: string): string | undefined {
  const lines = paragraphs(text);
  const at = lines.indexOf(word);
  return lines.slice(0, Math.max(at, 0)).findLast((line) => line.startsWith('# '));
}

const seeds = Array.from({ length: runs(40).numRuns }, (_, index) => Number(process.env.FC_SEED) + index);

it.each(seeds)('the walk with the seed %i loses no text of either person without a decision', walk);
