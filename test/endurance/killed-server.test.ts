import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFsDriver } from '../../integration/core/storage/drivers/fs.ts';
import type { Running } from '../cli/cli.ts';
import { partsOf, type WritingFolder, writingFolder } from '../cli/writing-folder.ts';
import { random } from '../support/random.ts';

const WRITES = 1000;
const KILLS = 20;
/** Programs that write their own articles at the same time. */
const PROGRAMS = 4;
const TAGS = ['t0', 't1', 't2', 't3', 't4'];
/** Retries while the server is down because it was killed. */
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

/** The state of an article: its version, which is part of its title and of every line of its body, and its tags. */
interface Article {
  readonly version: number;
  readonly tags: readonly string[];
}
/** `new` never existed; `gone` was removed. */
type State = Article | 'new' | 'gone';

/** One request, and the state of the article after it. */
interface Change {
  readonly id: string;
  readonly after: State;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const textOf = (id: string, version: number): string =>
  `${id} version ${version}\n`.repeat(1 + ((version * 37) % 400));

/** A random change that is possible in the present state of an article. */
function changeOf(id: string, before: State): Change {
  const path = `/jsonapi/node/article/${id}`;
  if (before === 'new' || before === 'gone') {
    const after = { version: 1, tags: [] };
    return { id, after, method: 'POST', path: '/jsonapi/node/article', body: documentOf(id, 1) };
  }
  const roll = random();
  const { version, tags } = before;
  if (roll < 0.2) return { id, after: 'gone', method: 'DELETE', path };
  if (roll < 0.6) {
    const after = { version: version + 1, tags };
    return { id, after, method: 'PATCH', path, body: documentOf(id, version + 1) };
  }
  const tag = TAGS[Math.floor(random() * TAGS.length)] ?? '';
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

/** The state of an article according to its file. Throws for an incomplete file. */
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

it(`a server that is killed ${KILLS} times during ${WRITES} HTTP writes loses no acknowledged one`, {
  timeout: 600_000,
}, async () => {
  const known = new Map<string, State>();
  /** The unanswered request of each program. */
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
      // The server was killed. The outcome is determined before the next change.
      if (answered === undefined) return;
      underway.delete(number);
      known.set(id, change.after);
      acknowledged += 1;
      if (acknowledged >= WRITES && kills >= KILLS) isOver = true;
    }
  }

  /** Every file is in its acknowledged state, or in the state after one unanswered change. */
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
        // A removed id stays a 410 until it is created again.
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
      const share = (WRITES / KILLS) * (0.5 + random());
      const until = performance.now() + GIVES_UP_MS;
      while (acknowledged < before + share && performance.now() < until) await sleep(random() * 5);
      await server.kill();
      kills += 1;
    }
    await programs;
    // Finishes a deletion in progress, as the next start would.
    await createFsDriver(folder.file('content')).list();
    requireWhole();
  }
  await requireAnswers(server, known);
  console.log(
    `${acknowledged} writes over HTTP, ${kills} kills: 0 torn, 0 lost; ${unanswered} were underway, each done or not; ` +
      `the server answered again after ${Math.ceil(slowestMs)} ms at most`,
  );
});

/** The server returns every article as in its file. */
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
