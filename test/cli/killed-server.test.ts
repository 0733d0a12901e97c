import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sized } from '../trials.ts';
import type { Running } from './cli.ts';
import { partsOf, type WritingFolder, writingFolder } from './writing-folder.ts';

const WRITES = sized(60, 1000);
const KILLS = sized(2, 20);
/** Programs that write at the same time, each its own articles. */
const PROGRAMS = 4;
const TAGS = ['t0', 't1', 't2', 't3', 't4'];
/** A server that cannot be reached, because it was killed, is tried again. */
const GIVES_UP_MS = 20_000;

let folder: WritingFolder;
let server: Running | undefined;
beforeAll(async () => {
  folder = await writingFolder(TAGS);
});
afterAll(async () => {
  await server?.kill();
  folder?.remove();
});

/** What an article is: its version, which its title and every line of its body tell, and its tags. */
interface Article {
  readonly version: number;
  readonly tags: readonly string[];
}
/** `new` has never been there, `gone` was removed. */
type State = Article | 'new' | 'gone';

/** One request, and what it makes of the article. */
interface Change {
  readonly id: string;
  readonly after: State;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const textOf = (id: string, version: number): string =>
  `${id} version ${version}\n`.repeat(1 + ((version * 37) % 400));

/** A change of an article at random, of those that it can have. */
function changeOf(id: string, before: State): Change {
  const path = `/jsonapi/node/article/${id}`;
  if (before === 'new' || before === 'gone') {
    const after = { version: 1, tags: [] };
    return { id, after, method: 'POST', path: '/jsonapi/node/article', body: documentOf(id, 1) };
  }
  const roll = Math.random();
  const { version, tags } = before;
  if (roll < 0.2) return { id, after: 'gone', method: 'DELETE', path };
  if (roll < 0.6) {
    const after = { version: version + 1, tags };
    return { id, after, method: 'PATCH', path, body: documentOf(id, version + 1) };
  }
  const tag = TAGS[Math.floor(Math.random() * TAGS.length)] ?? '';
  const others = tags.filter((each) => each !== tag);
  const relationship = { id, path: `${path}/relationships/field_tags` };
  const body = { data: [{ type: 'node--tag', id: tag }] };
  if (roll < 0.75)
    return {
      ...relationship,
      method: 'POST',
      after: { version, tags: tags.includes(tag) ? tags : [...tags, tag] },
      body,
    };
  if (roll < 0.9) return { ...relationship, method: 'DELETE', after: { version, tags: others }, body };
  return { ...relationship, method: 'PATCH', after: { version, tags: [tag] }, body };
}

function documentOf(id: string, version: number): object {
  const attributes = { title: `${id} ${version}`, body: { value: textOf(id, version) } };
  return { data: { type: 'node--article', id, attributes } };
}

/** An article as its file has it. Throws for one that is not whole. */
function onDisk(id: string): State {
  const file = folder.file('content/article', `${id}.md`);
  if (!existsSync(file)) return goneIds().has(id) ? 'gone' : 'new';
  const { data, body } = partsOf(readFileSync(file, 'utf8'));
  const version = Number(String(data.title).split(' ')[1]);
  expect([data.title, body.trim()]).toEqual([`${id} ${version}`, textOf(id, version).trim()]);
  return { version, tags: [data.field_tags ?? []].flat().map((tag) => String(tag).replace('tag/', '')) };
}

function goneIds(): ReadonlySet<string> {
  const ledger = folder.file('content/_gone.jsonl');
  if (!existsSync(ledger)) return new Set();
  const lines = readFileSync(ledger, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return new Set(lines.map((line) => JSON.parse(line).id));
}

it(`a server that is killed ${KILLS} times in ${WRITES} writes over HTTP loses none that it has acknowledged`, {
  timeout: 600_000,
}, async () => {
  const known = new Map<string, State>();
  /** Of each program, what it has asked for and not been answered. */
  const underway = new Map<number, Change>();
  let acknowledged = 0;
  let kills = 0;
  let unanswered = 0;
  let slowestMs = 0;
  let isOver = false;

  async function send({ method, path, body }: Change): Promise<number> {
    if (server === undefined) throw new Error('No server.');
    const response = await fetch(server.origin + path, {
      method,
      headers: {
        authorization: folder.authorization,
        ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new RefusedError(`${method} ${path}: ${response.status} ${text}`);
    return response.status;
  }

  async function program(number: number): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const id = `p${number}-${turn % 12}`;
      const change = changeOf(id, known.get(id) ?? 'new');
      underway.set(number, change);
      const answered = await send(change).catch((error: unknown) => {
        if (error instanceof RefusedError) throw error;
        return undefined;
      });
      // Its server was killed: what became of the change is found out before another one is started.
      if (answered === undefined) return;
      underway.delete(number);
      known.set(id, change.after);
      acknowledged += 1;
      if (acknowledged >= WRITES && kills >= KILLS) isOver = true;
    }
  }

  /** Every file is as it was acknowledged, or as one change makes it that was underway. */
  function requireWhole(): void {
    const open = new Map([...underway.values()].map((change) => [change.id, change]));
    underway.clear();
    for (const [number] of Array.from({ length: PROGRAMS * 12 }).entries()) {
      const id = `p${number % PROGRAMS}-${Math.floor(number / PROGRAMS)}`;
      const before = known.get(id) ?? 'new';
      const change = open.get(id);
      const found = onDisk(id);
      if (change === undefined) expect([id, found]).toEqual([id, before]);
      else {
        unanswered += 1;
        // An id that was removed is told so until it is there again.
        expect([before, change.after].map((state) => JSON.stringify(state))).toContain(JSON.stringify(found));
      }
      known.set(id, found);
    }
  }

  while (!isOver) {
    const started = performance.now();
    server = await folder.serve();
    slowestMs = Math.max(slowestMs, performance.now() - started);
    await requireAnswers(server, known);
    const before = acknowledged;
    const programs = Promise.all(Array.from({ length: PROGRAMS }, (_, number) => program(number)));
    if (kills < KILLS) {
      const share = (WRITES / KILLS) * (0.5 + Math.random());
      const until = performance.now() + GIVES_UP_MS;
      while (acknowledged < before + share && performance.now() < until) await sleep(Math.random() * 5);
      await server.kill();
      kills += 1;
    }
    await programs;
    requireWhole();
  }
  await requireAnswers(server, known);
  console.log(
    `${acknowledged} writes over HTTP, ${kills} kills: 0 torn, 0 lost; ${unanswered} were underway, each done or not; ` +
      `the server answered again after ${Math.ceil(slowestMs)} ms at most`,
  );
});

/** The server says of every article what its file says. */
async function requireAnswers(
  running: Running | undefined,
  known: ReadonlyMap<string, State>,
): Promise<void> {
  const states = [...known];
  const answers = await Promise.all(
    states.map(async ([id, state]) => {
      const response = await fetch(`${running?.origin}/jsonapi/node/article/${id}`);
      const { data } = await response.json();
      return response.ok
        ? [
            id,
            {
              version: Number(data.attributes.title.split(' ')[1]),
              tags: data.relationships.field_tags.data.map((tag: { id: string }) => tag.id),
            },
          ]
        : [id, response.status === 410 ? 'gone' : 'new', state];
    }),
  );
  expect(answers.map(([id, state]) => [id, state])).toEqual(states);
}

class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
