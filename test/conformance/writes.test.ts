import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ErrorDocument } from '../../integration/core/read/document-types.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import type { StorageDriver } from '../../integration/core/storage/driver.ts';
import { sample } from '../oracle/runs.ts';
import { DIALECTS, forgeDrivers } from '../support/forge-host.ts';
import { createHandler } from '../support/handler.ts';
import { expectJsonApi } from '../support/json-schema.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { ACTORS } from './actors.ts';
import { loadRecordedContent, recordedFiles } from './load.ts';
import { WRITE_DIFFERENCES, type WriteDifference } from './write-differences.ts';

const caseSchema = z.object({
  id: z.string(),
  seq: z.string().exactOptional(),
  as: z.string(),
  method: z.string(),
  path: z.string(),
  /** The header `Content-Type`. */
  type: z.string().exactOptional(),
  body: z.string().exactOptional(),
  status: z.int(),
  /** `source.pointer` of each error; null if it is missing. */
  pointers: z.array(z.string().nullable()).exactOptional(),
  /** The members of the response that both have. */
  data: z.json().exactOptional(),
  included: z.array(z.string()).exactOptional(),
  /** True if Drupal failed with a 500. */
  crash: z.literal(true).exactOptional(),
});
type WriteCase = z.infer<typeof caseSchema>;

const all = readFileSync(new URL('data/writes.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => caseSchema.parse(JSON.parse(line)))
  .filter(({ as }) => ACTORS[as] !== undefined);
const single = all.filter(({ seq }) => seq === undefined);
const sequences = Map.groupBy(
  all.filter(({ seq }) => seq !== undefined),
  ({ seq }) => seq ?? '',
);
const passed = new Set<string>();

describe("writes with Drupal's response", () => {
  it.each(single.filter(({ id }) => WRITE_DIFFERENCES[id] === undefined))('$id', async (recorded) => {
    await expectAnswer(await newHandler(), recorded);
  });
});

describe('writes with a deliberate difference', () => {
  const differing = single.flatMap((recorded) => {
    const difference = WRITE_DIFFERENCES[recorded.id];
    return difference === undefined ? [] : [{ ...recorded, difference, why: difference.reason }];
  });
  it.each(differing)('$id: $why', async ({ difference, why, ...recorded }) => {
    await expectAnswer(await newHandler(), changed(recorded, difference));
  });

  it('are all recorded cases', () => {
    const ids = new Set(all.map(({ id }) => id));
    expect(Object.keys(WRITE_DIFFERENCES).filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe('sequences of writes and reads', () => {
  it.each([...sequences])('%s', async (_, cases) => {
    const handle = await newHandler();
    for (const recorded of cases) {
      const difference = WRITE_DIFFERENCES[recorded.id];
      await expectAnswer(handle, difference === undefined ? recorded : changed(recorded, difference));
    }
  });
});

describe.each(DIALECTS)('writes to a repository on %s', (dialect) => {
  const files = recordedFiles();
  const openDriver = forgeDrivers(dialect, files);
  // The requests that change something reach the host.
  const changing = [
    ...single.filter(({ status }) => status < 300).map((recorded) => [recorded.id, [recorded]] as const),
    ...sequences,
  ];
  it.each(sample(changing))('%s', async (_, cases) => {
    const handle = await newHandler(await openDriver({ carried: createMemoryDriver(files) }));
    for (const recorded of cases) {
      const difference = WRITE_DIFFERENCES[recorded.id];
      await expectAnswer(handle, difference === undefined ? recorded : changed(recorded, difference));
    }
  });
});

afterAll(() => {
  const differing = [...passed].flatMap((id) => WRITE_DIFFERENCES[id]?.reason ?? []);
  const by = [...Map.groupBy(differing, (reason) => reason)].map(
    ([reason, { length }]) => `${reason} ${length}`,
  );
  const crashes = all.filter(({ id, crash }) => crash && passed.has(id)).length;
  console.log(
    `Of ${all.length} recorded writes ${passed.size - differing.length} are answered as Drupal does, ${differing.length} otherwise on purpose: ${by.join(', ')}. ${crashes} of these Drupal answers with 500.`,
  );
});

async function newHandler(driver?: StorageDriver): Promise<Handler> {
  const writable = { options: { requireIfMatch: false, onDelete: 'set-null' } } as const;
  return createHandler(await loadRecordedContent({ writable }, driver));
}

async function expectAnswer(handle: Handler, recorded: WriteCase): Promise<void> {
  const { as, method, path, body, type } = recorded;
  const headers = { accept: 'application/vnd.api+json', ...(type && { 'content-type': type }) };
  const request = new Request(`https://site.example${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: new Blob([body]) }),
  });
  if (type === undefined) request.headers.delete('content-type');
  const actor = ACTORS[as];
  const response = await handle(request, actor && { actor });
  const text = (await response?.text()) ?? '';
  expect(response?.status, text.slice(0, 600)).toBe(recorded.status);
  passed.add(recorded.id);
  if (recorded.status === 204) {
    expect(text).toBe('');
    return;
  }
  const document = JSON.parse(text);
  expectJsonApi(document, path);
  if (recorded.status === 401) expect(response?.headers.get('www-authenticate')).toContain('Basic');
  if (recorded.status === 405) expect(response?.headers.get('allow')).toContain('GET');
  if (recorded.status >= 400) {
    const { errors }: ErrorDocument = document;
    const pointers = errors.map(({ source }) => source?.pointer);
    for (const pointer of recorded.pointers ?? []) if (pointer !== null) expect(pointers).toContain(pointer);
    return;
  }
  if (recorded.status === 201) {
    const { data } = document;
    expect(response?.headers.get('location')).toBe(data.links.self.href);
    expect(data.type).toBe(JSON.parse(body ?? '').data.type);
  }
  if (recorded.data !== undefined) expectData(document.data, recorded.data, recorded.status === 201);
}

/** The fields of Drupal's response that both have. */
function expectData(data: unknown, recorded: z.infer<ReturnType<typeof z.json>>, created: boolean): void {
  const list = [data].flat() as readonly Resource[];
  const expected = [recorded].flat() as readonly Partial<Resource>[];
  expect(list.length).toBe(expected.length);
  expected.forEach((each, at) => {
    const { id, attributes = {}, relationships = {} } = list[at] ?? { id: '' };
    if (!created) expect(id).toBe(each.id);
    for (const [name, value] of Object.entries(each.attributes ?? {})) {
      const own = attributes[name];
      // A Markdown file always has a body, possibly an empty one.
      const expected = name === 'body' ? (value ?? { value: '', summary: null }) : value;
      expect({ [name]: name === 'body' ? bodyParts(own) : own }).toEqual({ [name]: expected });
    }
    for (const [name, ids] of Object.entries(each.relationships ?? {})) {
      const linkage = (relationships[name] as { data: unknown } | undefined)?.data ?? null;
      const own = Array.isArray(linkage)
        ? linkage.map((item: { id: string }) => item.id)
        : ((linkage as { id: string } | null)?.id ?? null);
      expect({ [name]: own }).toEqual({ [name]: ids ?? null });
    }
  });
}

function bodyParts(body: unknown): unknown {
  const { value, summary } = (body ?? { value: '', summary: null }) as {
    value: string;
    summary: string | null;
  };
  return { value, summary };
}

function changed(recorded: WriteCase, difference: WriteDifference): WriteCase {
  const { status = recorded.status, pointers = [], body, data } = difference;
  const isSameData = status === recorded.status && data !== false;
  const { data: answered, pointers: _, ...others } = recorded;
  return {
    ...others,
    status,
    pointers: [...pointers],
    ...(isSameData && answered !== undefined && { data: answered }),
    ...(body !== undefined && recorded.body !== undefined && { body: body(recorded.body) }),
  };
}

interface Resource {
  readonly id: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}
