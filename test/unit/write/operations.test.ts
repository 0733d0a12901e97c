import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRuntime } from '../../../integration/core/runtime/open-site.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { RevisionConflictError, UnwritableStorageError } from '../../../integration/core/storage/errors.ts';
import { createGitDriver } from '../../../integration/features/git/driver.ts';
import { FEATURES } from '../../../integration/features.ts';
import { defineSchema, reference } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { ATOMIC } from '../../support/operations.ts';
import { parseOptions } from '../../support/options.ts';
import { createServices, TEST_SETTINGS } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const COUNT = 20;
const FILES = Object.fromEntries(
  Array.from({ length: COUNT }, (_, at) => [`article/a${at}.md`, '---\ntitle: Version 0\n---\n']),
);
const headers = { 'content-type': ATOMIC };
const toVersion = (version: number) => ({
  'atomic:operations': Object.keys(FILES).map((key) => ({
    op: 'update',
    data: {
      type: 'node--article',
      id: path.basename(key, '.md'),
      attributes: { title: `Version ${version}` },
    },
  })),
});

describe('readers of the server', () => {
  it('see all changes at once, also while the folder is watched', async () => {
    const root = temporaryFolder(
      Object.fromEntries(Object.entries(FILES).map(([key, text]) => [`content/${key}`, text])),
    );
    const contentDir = path.join(root, 'content');
    const runtime = await createRuntime(
      { driver: createGitDriver(contentDir), folder: contentDir, schema: undefined },
      {
        features: FEATURES,
        options: parseOptions({ editing: true }),
        settings: { ...TEST_SETTINGS, root, contentDir, readOnly: false },
        renderBody: async () => '',
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
        onChange: () => undefined,
      },
    );
    const seen = new Set<string>();
    let isOver = false;
    const reading = (async () => {
      while (!isOver) {
        const { json } = await ask(
          runtime.handle,
          'GET',
          '/jsonapi/node/article?fields[node--article]=title',
        );
        seen.add(
          [
            ...new Set(
              json.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title),
            ),
          ].join(),
        );
        await nextTurn();
      }
    })();
    const versions = [1, 2, 3, 4, 5];
    for (const version of versions) {
      const { status } = await ask(runtime.handle, 'POST', '/jsonapi/operations', {
        body: toVersion(version),
        headers,
      });
      expect(status).toBe(200);
    }
    isOver = true;
    await reading;
    await runtime.close();
    expect([...seen].filter((titles) => !/^Version \d$/.test(titles))).toEqual([]);
    expect(seen).toContain('Version 4');
  });
});

/** A site whose driver calls `intercept` before it writes several files. */
async function siteWith(intercept: (attempt: number, driver: WritableDriver) => unknown) {
  const memory = createMemoryDriver(FILES);
  let attempts = 0;
  const commits: unknown[] = [];
  const driver: WritableDriver = {
    ...memory,
    async writeAll(changes) {
      attempts += 1;
      await intercept(attempts, memory);
      await memory.writeAll(changes);
    },
  };
  const onWritten = (written: unknown) => {
    commits.push(written);
    return undefined;
  };
  const handle = createHandler(await createServices(driver, undefined, { writable: { onWritten } }));
  const send = () => ask(handle, 'POST', '/jsonapi/operations', { body: toVersion(1), headers });
  const text = async (key: string) => new TextDecoder().decode(await memory.read(key));
  return { send, text, commits, handle, memory };
}

describe('operations on files that an editor saves', () => {
  const saved = (save: number) => new TextEncoder().encode(`---\ntitle: Version 0\nsave: ${save}\n---\n`);

  it('are repeated on top of changes that the editor saved', async () => {
    const { send, text, commits } = await siteWith(
      (attempt, driver) => attempt < 3 && driver.write('article/a7.md', saved(attempt)),
    );
    expect((await send()).status).toBe(200);
    expect(await text('article/a7.md')).toBe('---\ntitle: Version 1\nsave: 2\n---\n');
    expect(commits).toHaveLength(1);
  });

  it('change nothing if the editor saves all the time', async () => {
    const { send, text, commits } = await siteWith((attempt, driver) =>
      driver.write('article/a7.md', saved(attempt)),
    );
    expect((await send()).status).toBe(409);
    expect([await text('article/a7.md'), await text('article/a0.md'), commits]).toEqual([
      '---\ntitle: Version 0\nsave: 5\n---\n',
      FILES['article/a0.md'],
      [],
    ]);
  });

  it.each([
    [new RevisionConflictError('article/a3.md', null), 409],
    [new UnwritableStorageError('The disk is full.', undefined, 'out-of-space'), 507],
  ])('change nothing and are not committed if the storage refuses (%s)', async (error, status) => {
    const { send, handle, commits, memory } = await siteWith(() => {
      throw error;
    });
    const answer = await send().catch((failure: Error) => ({
      status: Number(/: (\d+) /.exec(failure.message)?.[1]),
    }));
    expect([answer.status, commits]).toEqual([status, []]);
    expect(new TextDecoder().decode(await memory.read('article/a0.md'))).toBe(FILES['article/a0.md']);
    const { json } = await ask(handle, 'GET', '/jsonapi/node/article/a0');
    expect(json.data.attributes.title).toBe('Version 0');
  });
});

describe('operations whose bodies render while the content is not locked', () => {
  it('refer to their own new resources, even if another request takes their names meanwhile', async () => {
    const schema = defineSchema({ article: { field_author: reference('person').nullish() }, person: {} });
    const driver = createMemoryDriver({ 'person/tom.md': '---\ntitle: Tom\n---\n' });
    const rendered: string[] = [];
    const addPerson = { data: { type: 'node--person', attributes: { title: 'Ada' } } };
    const services = await createServices(driver, schema, {
      writable: {},
      async renderBody({ id }) {
        rendered.push(id);
        if (rendered.length === 1) {
          expect((await ask(handle, 'POST', '/jsonapi/node/person', sent(addPerson))).status).toBe(201);
        }
        return '<p></p>';
      },
    });
    const handle = createHandler(services);
    const relationships = { field_author: { data: { type: 'node--person', lid: 'p' } } };
    const body = {
      'atomic:operations': [
        {
          op: 'add',
          data: { type: 'node--article', attributes: { title: 'Low water', body: 'Ebb.' }, relationships },
        },
        { op: 'add', data: { ...addPerson.data, lid: 'p' } },
      ],
    };
    const { json } = await ask(handle, 'POST', '/jsonapi/operations', { body, headers });
    expect(json['atomic:results'].map(({ data }: { data: { id: string } }) => data.id)).toEqual([
      'low-water',
      'ada-2',
    ]);
    const text = new TextDecoder().decode(await driver.read('article/low-water.md'));
    expect(text).toContain('field_author: ada-2\n');
  });
});

const sent = (body: object) => ({ body, headers: { 'content-type': 'application/vnd.api+json' } });
