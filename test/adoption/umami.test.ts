import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../integration/core/access/actor.ts';
import { createHandler } from '../handler.ts';
import { createComparison, FORMS, type Form, kindOf, type Place } from './umami-compare.ts';
import { hasUmami, openUmami, readRecorded, umamiSite } from './umami-content.ts';
import { DIFFERENCES } from './umami-differences.ts';

/** The reads that agree without a difference of their own. It may only grow. */
const AGREEING = { stock: 134, extra: 117 };
const ORIGIN = 'https://site.example';

interface Result {
  readonly id: string;
  readonly db: string;
  readonly differences: readonly Place[];
  readonly forms: ReadonlySet<Form>;
}

describe.skipIf(!hasUmami)("Drupal's demo site Umami", () => {
  it('answers the recorded reads as Drupal does, or differs for a stated reason', async () => {
    const results = [...(await readAll('stock')), ...(await readAll('extra'))];
    expect(results.length).toBe(436);
    const reasons = new Map(
      Object.entries(DIFFERENCES).flatMap(([reason, { reads }]) => words(reads).map((id) => [id, reason])),
    );
    const differing = results.filter(({ differences }) => differences.length > 0);
    const unexplained = differing.filter(
      ({ id, differences }) => !DIFFERENCES[reasons.get(id) ?? '']?.kinds.includes(kindOf(differences)),
    );
    const former = [...reasons.keys()].filter((id) => !differing.some((each) => each.id === id));
    console.log(tableOf(results, reasons, unexplained));
    expect(unexplained.map(({ id, differences }) => [id, kindOf(differences), differences[0]])).toEqual([]);
    expect(former, 'these reads agree').toEqual([]);
    for (const db of ['stock', 'extra'] as const) {
      const agreeing = results.filter((each) => each.db === db && each.differences.length === 0);
      expect(agreeing.length).toBeGreaterThanOrEqual(AGREEING[db]);
    }
    const used = new Set(results.flatMap(({ forms }) => [...forms]));
    expect(Object.keys(FORMS).filter((form) => !used.has(form as Form))).toEqual([]);
  });
});

it("states the reason of each difference from Umami's answers", () => {
  const docs = readFileSync(new URL('../../docs/differences-from-drupal.md', import.meta.url), 'utf8');
  const names = [...Object.keys(FORMS), ...Object.keys(DIFFERENCES)];
  expect(names.filter((name) => !docs.includes(`<a id="${name}"></a>`))).toEqual([]);
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
    const response = await handle(request, { actor: site.actors[as] ?? ANONYMOUS });
    const text = (await response?.text()) ?? '';
    // What the handler leaves to the site is a page that does not exist.
    const answer = { status: response?.status ?? 404, body: text === '' ? null : JSON.parse(text) };
    results.push({ id, db, ...compare(recorded, answer) });
  }
  return results;
}

function tableOf(
  results: readonly Result[],
  reasons: ReadonlyMap<string, string>,
  unexplained: readonly Result[],
): string {
  const rows = ['stock', 'extra'].map((db) => {
    const all = results.filter((each) => each.db === db);
    const agreeing = all.filter(({ differences }) => differences.length === 0).length;
    const open = unexplained.filter((each) => each.db === db).length;
    const share = ((100 * agreeing) / all.length).toFixed(1);
    return `${db} | ${all.length} | ${agreeing} (${share} %) | ${all.length - agreeing - open} | ${open}`;
  });
  const counts = new Map<string, number>();
  for (const { id, differences } of results) {
    const reason = differences.length === 0 ? undefined : reasons.get(id);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasonRows = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} | ${count}`);
  const formRows = Object.keys(FORMS).map((form) => {
    return `${form} | ${results.filter(({ forms }) => forms.has(form as Form)).length}`;
  });
  return [
    'content | reads | agree | differ for a stated reason | unexplained',
    ...rows,
    '',
    'reason | reads',
    ...reasonRows,
    '',
    'form | documents',
    ...formRows,
  ].join('\n');
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
