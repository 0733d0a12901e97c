import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Actor, ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createHandler } from '../support/handler.ts';
import { type Answer, createComparison, FORMS, type Form, kindOf, type Place } from './umami-compare.ts';
import { hasUmami, openUmami, type Recorded, readRecorded, UMAMI, umamiSite } from './umami-content.ts';
import { DIFFERENCES } from './umami-differences.ts';

const ORIGIN = 'https://site.example';

/** The name of the reason by request. */
const REASONS = new Map(
  Object.entries(DIFFERENCES).flatMap(([reason, { requests }]) => {
    return requests
      .trim()
      .split(/\s+/)
      .map((id) => [id, reason] as const);
  }),
);

interface Result {
  readonly id: string;
  readonly db: string;
  readonly group: string;
  readonly differences: readonly Place[];
  readonly forms: ReadonlySet<Form>;
}

describe.skipIf(!hasUmami)("Drupal's demo site Umami", () => {
  it('answers the recorded reads as Drupal does, or differs for a stated reason', async () => {
    const results = [...(await readAll('stock')), ...(await readAll('extra'))];
    expect(results.length).toBe(436);
    expectExplained(results, ({ db }) => db, { stock: 137, extra: 128 });
  });

  it('answers the recorded writes as Drupal does, or differs for a stated reason', async () => {
    const sequences = Map.groupBy(readRecorded('writes.jsonl'), ({ sequence }) => sequence);
    const results: Result[] = [];
    for (const requests of sequences.values()) results.push(...(await writeAll(requests)));
    expect(results.length).toBe(206);
    const agreeing = { upload: 15, alt: 20, owner: 17, 'delete-file': 7, translation: 9, misc: 39 };
    expectExplained(results, ({ group }) => group, agreeing);
  });
});

it('has one stated reason for each difference', () => {
  const docs = readFileSync(new URL('../../docs/differences-from-drupal.md', import.meta.url), 'utf8');
  const names = [...Object.keys(FORMS), ...Object.keys(DIFFERENCES)];
  expect(names.filter((name) => !docs.includes(`<a id="${name}"></a>`))).toEqual([]);
  const listed = Object.values(DIFFERENCES).flatMap(({ requests }) => requests.trim().split(/\s+/));
  expect(listed.filter((id, at) => listed.indexOf(id) !== at)).toEqual([]);
});

async function readAll(db: 'stock' | 'extra'): Promise<readonly Result[]> {
  const site = umamiSite(db);
  const handle = createHandler(await openUmami(site));
  const { compare, translate } = createComparison(site.drupalFiles, ORIGIN);
  const results: Result[] = [];
  for (const recorded of readRecorded('reads.jsonl')) {
    if (recorded.db.split('-')[0] !== db) continue;
    const { id, method, headers, as } = recorded;
    const request = new Request(ORIGIN + translate(recorded.path), { method, headers });
    const answer = await send(handle, request, site.actors[as]);
    results.push({ id, db, group: 'read', ...compare(recorded, answer) });
  }
  return results;
}

/** The steps of a sequence, in a copy of the content of their own. */
async function writeAll(steps: readonly Recorded[]): Promise<readonly Result[]> {
  const db = steps[0]?.db === 'stock' ? 'stock' : 'extra';
  const site = umamiSite(db);
  const writable = { options: { onDelete: 'set-null' } } as const;
  const handle = createHandler(await openUmami(site, { writable }));
  const { compare, translate } = createComparison(site.drupalFiles, ORIGIN, true);
  const ids = new Map<string, string>();
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (word, name) => ids.get(name) ?? word);
  const results: Result[] = [];
  for (const recorded of steps) {
    const { id, sequence: group = '', method, headers, as, capture, response } = recorded;
    const body = bodyOf(recorded, (text) => translate(fill(text)));
    const url = ORIGIN + translate(fill(recorded.path));
    const request = new Request(url, {
      method,
      headers,
      ...(body !== undefined && { body: new Blob([body]) }),
    });
    const answer = await send(handle, request, site.actors[as]);
    const { data } = answer.body ?? {};
    for (const name of Object.keys(capture ?? {})) if (data && 'id' in data) ids.set(name, data.id);
    const filled = { ...recorded, response: response && JSON.parse(fill(JSON.stringify(response))) };
    results.push({ id, db, group, ...compare(filled, answer) });
  }
  return results;
}

function bodyOf(
  { body, body_file: file }: Recorded,
  fill: (text: string) => string,
): Uint8Array<ArrayBuffer> | string | undefined {
  if (file) return new Uint8Array(readFileSync(path.join(UMAMI, file)));
  if (body === undefined || body === null) return undefined;
  return fill(typeof body === 'string' ? body : JSON.stringify(body));
}

async function send(handle: Handler, request: Request, actor: Actor = ANONYMOUS): Promise<Answer> {
  const response = await handle(request, { actor });
  const text = (await response?.text()) ?? '';
  // What the handler leaves to the site is a page that does not exist.
  return { status: response?.status ?? 404, body: text === '' ? null : JSON.parse(text) };
}

/** Prints what agrees, and fails if something differs without a reason, or if less agrees than before. */
function expectExplained(
  results: readonly Result[],
  groupOf: (result: Result) => string,
  agreeing: Readonly<Record<string, number>>,
): void {
  const differing = results.filter(({ differences }) => differences.length > 0);
  const unexplained = differing.filter(
    ({ id, differences }) => !DIFFERENCES[REASONS.get(id) ?? '']?.kinds.includes(kindOf(differences)),
  );
  const rows = Object.keys(agreeing).map((group) => {
    const all = results.filter((each) => groupOf(each) === group);
    const open = unexplained.filter((each) => groupOf(each) === group).length;
    const agree = all.filter(({ differences }) => differences.length === 0).length;
    return { group, all: all.length, agree, explained: all.length - agree - open, open };
  });
  const reasons = Map.groupBy(differing, ({ id }) => REASONS.get(id) ?? 'none');
  console.log(
    [
      'group | requests | agree | differ for a stated reason | unexplained',
      ...rows.map(({ group, all, agree, explained, open }) => {
        return `${group} | ${all} | ${agree} (${((100 * agree) / all).toFixed(1)} %) | ${explained} | ${open}`;
      }),
      '\nreason | requests',
      ...[...reasons]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([reason, { length }]) => `${reason} | ${length}`),
      '\nform | documents',
      ...Object.keys(FORMS).map((form) => {
        return `${form} | ${results.filter(({ forms }) => forms.has(form as Form)).length}`;
      }),
    ].join('\n'),
  );
  expect(unexplained.map(({ id, differences }) => [id, kindOf(differences), differences[0]])).toEqual([]);
  const agree = results.filter(({ id, differences }) => REASONS.has(id) && differences.length === 0);
  expect(
    agree.map(({ id }) => id),
    'these agree',
  ).toEqual([]);
  for (const { group, agree: count } of rows) expect(count).toBeGreaterThanOrEqual(agreeing[group] ?? 0);
}
