import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import { visibleConflict } from '../../../integration/features/git/content-conflicts.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';
import { openServers, type Server } from '../../support/two-servers.ts';

const MOON = 'content/article/moon.md';
const FILES = {
  'article/moon.md': '---\ntitle: Moon\ncolor: pale\n---\n\nRises.\n\nSets.\n',
  'article/sea.md': '---\ntitle: Sea\n---\n',
};
const FULL_MOON = FILES['article/moon.md'].replace('Moon', 'Full moon');

const conflictsOf = async (server: Server, as?: 'jane' | 'tom' | 'admin') =>
  (await server.send('GET', '/jsonapi/_conflicts', undefined, as)).json.data;
const resolve = (server: Server, id: string, resolution: unknown, as?: 'jane' | 'tom' | 'admin') =>
  server.send(
    'PATCH',
    `/jsonapi/_conflicts/${id}`,
    { data: { type: 'conflict', id, attributes: { resolution } } },
    as,
  );
const title = async (server: Server, id = 'moon') =>
  (await server.send('GET', `/jsonapi/node/article/${id}`)).json.data?.attributes.title;

/** A change of the moon that another person overtakes. */
async function openConflict(attributes: object = { title: 'New moon' }) {
  const servers = await openServers(FILES);
  servers.pushMeanwhile(servers.one, { [MOON]: FULL_MOON });
  const answer = await servers.one.patch(attributes);
  return { ...servers, answer };
}

describe('two changes of a field on two servers', () => {
  it('keep all other files and fields of the later change, and inform its author', async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    const files = Object.fromEntries(
      numbers.map((number) => [`article/a${number}.md`, `---\ntitle: A${number}\ncolor: red\n---\n`]),
    );
    const { one, other, pushMeanwhile, git } = await openServers(files);
    pushMeanwhile(one, { 'content/article/a3.md': '---\ntitle: First\ncolor: red\n---\n' });
    const answer = await one.send('POST', '/jsonapi/operations', {
      'atomic:operations': numbers.map((number) => ({
        op: 'update',
        data: {
          type: 'node--article',
          id: `a${number}`,
          attributes: { title: `B${number}`, color: 'blue' },
        },
      })),
    });
    expect(answer.status).toBe(412);
    const [conflict] = await conflictsOf(one);
    expect(answer.json.errors).toEqual([
      {
        status: '412',
        title: 'Precondition Failed',
        detail: `Someone else has changed \`title\` of node--article 'a3' at the same time, and that value stays. Conflict ${conflict.id} has yours. Everything else of the request is saved.`,
        source: { pointer: '/atomic:operations/2/data/attributes/title' },
        meta: { conflict: conflict.id, isRestSaved: true, type: 'node--article', id: 'a3', field: 'title' },
      },
    ]);
    other.look();
    for (const server of [one, other]) {
      await eventually(async () => {
        const { data } = (await server.send('GET', '/jsonapi/node/article?sort=id')).json;
        expect(data.map(({ attributes }: { attributes: object }) => attributes)).toEqual(
          numbers.map((number) =>
            expect.objectContaining({ title: number === 3 ? 'First' : `B${number}`, color: 'blue' }),
          ),
        );
      });
      await eventually(async () => {
        other.look();
        expect(await conflictsOf(server)).toMatchObject([
          {
            id: conflict.id,
            attributes: {
              kind: 'fields',
              title: 'First',
              entity: { type: 'node--article', id: 'a3', translation: null },
              author: 'Jane Low',
              message: 'Change content (8 changes)',
              fields: [{ name: 'title', mine: 'B3', theirs: 'First', present: 'First' }],
            },
          },
        ]);
      });
    }
    expect(git('log', '--format=%an %s', 'main').split('\n')).toEqual([
      'Jane Low Change content (8 changes)',
      'Ann By hand',
      'The site Begin',
    ]);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/astro-jsonapi')).toBe(
      `refs/astro-jsonapi/conflicts/${conflict.id}`,
    );
  });

  it('list the single change of the one who loses, and its version in the history', async () => {
    const { one, answer } = await openConflict();
    expect(answer.status).toBe(412);
    expect(answer.json.errors[0]).toMatchObject({
      detail: expect.stringContaining('Nothing of the request is saved.'),
      source: { pointer: '/data/attributes/title' },
      meta: { isRestSaved: false },
    });
    await eventually(async () => expect(await title(one)).toBe('Full moon'));
    const [{ attributes }] = await conflictsOf(one);
    expect(attributes.fields).toEqual([
      { name: 'title', mine: 'New moon', theirs: 'Full moon', present: 'Full moon' },
    ]);
    const version = await one.send(
      'GET',
      `/jsonapi/node/article/moon?resourceVersion=id:${attributes.commit}`,
      undefined,
      'admin',
    );
    expect(version.json.data.attributes.title).toBe('New moon');
    const { versions } = (await one.send('OPTIONS', '/jsonapi/node/article/moon', undefined, 'admin')).json
      .meta;
    expect(versions.map(({ message }: { message: string }) => message)).toEqual(
      expect.arrayContaining(['Conflict: Update article "New moon"', 'By hand', 'Begin']),
    );
  });

  it('are decided on another server, and then no server lists them', async () => {
    const { one, other, git } = await openConflict({ title: 'New moon', color: 'dark' });
    await eventually(async () => {
      other.look();
      expect(await conflictsOf(other)).toHaveLength(1);
    });
    const [{ id }] = await conflictsOf(other);
    expect((await resolve(other, id, 'mine', 'tom')).status).toBe(204);
    expect(await conflictsOf(other)).toEqual([]);
    await eventually(() => expect(git('for-each-ref', 'refs/astro-jsonapi')).toBe(''));
    await eventually(async () => {
      one.look();
      expect([await title(one), await conflictsOf(one)]).toEqual(['New moon', []]);
    });
    expect(git('log', '-1', '--format=%an %s', 'main')).toBe('tom Update article "New moon"');
  });

  it('leave the present value with the decision for the other side', async () => {
    const { one, git } = await openConflict();
    const [{ id }] = await conflictsOf(one);
    expect((await resolve(one, id, 'theirs')).status).toBe(204);
    await eventually(() => expect(git('for-each-ref', 'refs/astro-jsonapi')).toBe(''));
    expect([await title(one), await conflictsOf(one)]).toEqual(['Full moon', []]);
    expect((await one.send('GET', `/jsonapi/_conflicts/${id}`)).status).toBe(404);
  });

  it('are decided field by field', async () => {
    const servers = await openServers(FILES);
    const { one, other, pushMeanwhile } = servers;
    pushMeanwhile(one, { [MOON]: FULL_MOON.replace('pale', 'red').replace('Rises.', 'Falls.') });
    const answer = await one.patch({
      title: 'New moon',
      color: 'dark',
      body: { value: 'Rises late.\n\nSets.' },
    });
    expect(answer.json.errors.map(({ source }: { source: object }) => source)).toEqual([
      { pointer: '/data/attributes/title' },
      { pointer: '/data/attributes/body' },
      { pointer: '/data/attributes/color' },
    ]);
    const [{ id, attributes }] = await conflictsOf(one);
    expect(attributes.fields).toContainEqual({
      name: 'body',
      mine: { value: 'Rises late.\n\nSets.', summary: null },
      theirs: { value: 'Falls.\n\nSets.', summary: null },
      present: { value: 'Falls.\n\nSets.', summary: null },
    });
    expect((await resolve(one, id, { title: 'mine', color: 'theirs' })).status).toBe(204);
    expect(await title(one)).toBe('New moon');
    await eventually(async () => {
      other.look();
      const [conflict] = await conflictsOf(other);
      expect(conflict.attributes.fields.map(({ name }: { name: string }) => name)).toEqual(['body']);
      // The content follows a moment later, and until then a decision is about a former version.
      expect(await title(other)).toBe('New moon');
    });
    expect((await resolve(other, id, { body: 'mine' })).status).toBe(204);
    const { body, color } = (await other.get()).json.data.attributes;
    expect([body.value, color]).toEqual(['Rises late.\n\nSets.', 'red']);
    await eventually(async () => {
      one.look();
      expect(await conflictsOf(one)).toEqual([]);
    });
  });

  it.each([
    ['another side', 'ours', "`resolution` must be 'mine' or 'theirs'"],
    ['an unknown field', { color: 'mine' }, "The conflict has no field 'color'. Fields: title."],
    ['another side of a field', { title: 'ours' }, "`title` must be 'mine' or 'theirs'."],
    ['no field', {}, 'Decide at least one field.'],
  ])('refuse a decision with %s', async (_, resolution, detail) => {
    const { one } = await openConflict();
    const [{ id }] = await conflictsOf(one);
    const answer = await resolve(one, id, resolution);
    expect([answer.status, answer.json.errors[0].detail]).toEqual([422, expect.stringContaining(detail)]);
    expect(await conflictsOf(one)).toHaveLength(1);
  });

  it('stay in the list if the request was answered before, and after a restart', async () => {
    const { one, openAt, push } = await openServers(FILES, { acknowledge: 'file' });
    const url = one.git('config', 'remote.origin.url');
    await eventually(async () => expect((await one.get()).headers.get('content-commit')).not.toBeNull());
    one.git('config', 'remote.origin.url', `${url}.away`);
    push({ [MOON]: FULL_MOON });
    expect((await one.patch({ title: 'New moon' })).status).toBe(200);
    await eventually(() => expect(one.git('log', '--format=%s').split('\n')).toHaveLength(2));
    const { root } = one;
    await one.close();
    one.git('config', 'remote.origin.url', url);
    const again = await openAt(root);
    await eventually(async () => expect(await conflictsOf(again)).toHaveLength(1));
    await eventually(async () => expect(await title(again)).toBe('Full moon'));
  });

  it('stay on the server that has them if the git host refuses their refs, and pushing continues', async () => {
    const { one, pushMeanwhile, git } = await openServers(FILES);
    const hook = path.join(git('rev-parse', '--absolute-git-dir'), 'hooks/update');
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in refs/heads/*) exit 0;; *) exit 1;; esac\n');
    chmodSync(hook, 0o755);
    pushMeanwhile(one, { [MOON]: FULL_MOON });
    expect((await one.patch({ title: 'New moon' })).status).toBe(412);
    expect((await one.patch({ color: 'dark' })).status).toBe(200);
    expect(await conflictsOf(one)).toHaveLength(1);
    await eventually(() =>
      expect(one.lines.filter((line) => line.includes('refuses the refs of conflicts'))).toHaveLength(1),
    );
    expect(one.commits.health()).toMatchObject({ commits: 'ok', pushes: 'ok' });
    const [{ id }] = await conflictsOf(one);
    expect((await resolve(one, id, 'theirs')).status).toBe(204);
    expect(await conflictsOf(one)).toEqual([]);
  });
});

describe('with a quiet period', () => {
  const quiet = { commit: { quiet: 1 } } as const;

  it('changes are acknowledged when they are on disk, and conflicts are listed', async () => {
    const { one, pushMeanwhile } = await openServers(FILES, quiet);
    pushMeanwhile(one, { [MOON]: FULL_MOON });
    const answer = await one.patch({ title: 'New moon' });
    expect([answer.status, one.git('log', '--format=%s')]).toEqual([200, 'Begin']);
    await eventually(async () => expect(await conflictsOf(one)).toHaveLength(1));
  });

  it('responses that wait for the push report the conflicts of their own files only', async () => {
    const { one, pushMeanwhile, git } = await openServers(FILES, { ...quiet, acknowledge: 'push' });
    pushMeanwhile(one, { [MOON]: FULL_MOON });
    const data = { type: 'node--article', id: 'sea', attributes: { title: 'New sea' } };
    const answers = await Promise.all([
      one.patch({ title: 'New moon' }),
      one.send('PATCH', '/jsonapi/node/article/sea', { data }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([412, 200]);
    expect(git('log', '--format=%s', 'main').split('\n')).toEqual([
      'Change content (2 changes)',
      'By hand',
      'Begin',
    ]);
  });
});

describe('a change on one server and another change of the same file on another', () => {
  const moon = { type: 'node--article', id: 'moon' };

  it.each(['mine', 'theirs'])(
    'is a conflict if others have removed the file: the decision is %s',
    async (side) => {
      const { one, other, pushMeanwhile } = await openServers({
        ...FILES,
        'article/sea.md': '---\ntitle: Sea\ncolor: blue\n---\n',
      });
      pushMeanwhile(one, { [MOON]: null });
      const answer = await one.patch({ title: 'New moon' });
      expect([answer.status, answer.json.errors[0]]).toMatchObject([
        412,
        { detail: expect.stringContaining('Someone else has removed this'), source: { pointer: '/data' } },
      ]);
      expect((await one.get()).status).toBe(404);
      const [{ id, attributes }] = await conflictsOf(one);
      expect(attributes).toMatchObject({
        kind: 'removed-by-others',
        title: 'New moon',
        entity: moon,
        fields: [],
      });
      expect((await resolve(one, id, side)).status).toBe(204);
      expect(await conflictsOf(one)).toEqual([]);
      await eventually(async () => {
        other.look();
        const found = await other.get();
        expect(found.json.data?.attributes).toEqual(
          side === 'theirs' ? undefined : expect.objectContaining({ title: 'New moon', color: 'pale' }),
        );
      });
    },
  );

  it('names the fields that only the removed file had, and restores nothing without them', async () => {
    const { one, pushMeanwhile } = await openServers(FILES);
    pushMeanwhile(one, { [MOON]: null });
    await one.patch({ title: 'New moon' });
    const [{ id }] = await conflictsOf(one);
    const answer = await resolve(one, id, 'mine');
    expect([answer.status, answer.json.errors[0].detail]).toEqual([
      409,
      expect.stringContaining('Only the removed file had `color`'),
    ]);
    expect(await conflictsOf(one)).toHaveLength(1);
  });

  it.each(['mine', 'theirs'])('is a conflict if it removes the file: the decision is %s', async (side) => {
    const { one, other, pushMeanwhile, git } = await openServers(FILES);
    pushMeanwhile(one, { [MOON]: FULL_MOON });
    const answer = await one.send('DELETE', '/jsonapi/node/article/moon');
    expect([answer.status, answer.json.errors[0].detail]).toEqual([
      412,
      expect.stringContaining('Someone else has changed what you removed'),
    ]);
    // An entity that still exists is not in the list of removed ids.
    expect(git('ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual([MOON, 'content/article/sea.md']);
    expect(await title(one)).toBe('Full moon');
    const [{ id, attributes }] = await conflictsOf(one);
    expect(attributes).toMatchObject({ kind: 'removed-here', title: 'Full moon', entity: moon });
    expect((await resolve(one, id, side)).status).toBe(204);
    await eventually(async () => {
      other.look();
      expect([(await other.get()).status, await conflictsOf(other)]).toEqual([
        side === 'mine' ? 410 : 200,
        [],
      ]);
    });
  });

  it('keeps the entity that was created first, and lists the fields of the other one', async () => {
    const { one, pushMeanwhile } = await openServers(FILES);
    pushMeanwhile(one, { 'content/article/sun.md': '---\ntitle: Sun\ncolor: red\n---\n' });
    const answer = await one.send('POST', '/jsonapi/node/article', {
      data: { type: 'node--article', id: 'sun', attributes: { title: 'Another sun', color: 'red' } },
    });
    expect([answer.status, answer.json.errors[0].source]).toEqual([
      412,
      { pointer: '/data/attributes/title' },
    ]);
    expect(await title(one, 'sun')).toBe('Sun');
    const [{ id }] = await conflictsOf(one);
    expect((await resolve(one, id, { title: 'mine' })).status).toBe(204);
    expect(await title(one, 'sun')).toBe('Another sun');
  });

  it('never mixes two uploads of one name', async () => {
    const { one, pushMeanwhile, git } = await openServers({
      ...FILES,
      'article/note.txt': 'one\ntwo\nthree\nfour\n',
    });
    pushMeanwhile(one, { 'content/article/note.txt': 'ONE\ntwo\nthree\nfour\n' });
    const answer = await one.send(
      'PUT',
      '/jsonapi/_files/content/article/note.txt',
      new TextEncoder().encode('one\ntwo\nthree\nFOUR\n'),
      'admin',
    );
    expect([answer.status, answer.json.errors[0].detail]).toEqual([
      412,
      expect.stringContaining('Someone else has stored the same file'),
    ]);
    expect(git('show', 'main:content/article/note.txt')).toBe('ONE\ntwo\nthree\nfour');
    const [{ id, attributes }] = await conflictsOf(one, 'admin');
    expect(attributes).toMatchObject({ kind: 'file', file: 'article/note.txt', entity: null, fields: [] });
    expect(one.git('show', `${attributes.commit}:content/article/note.txt`)).toContain('FOUR');
    expect((await resolve(one, id, 'mine', 'admin')).status).toBe(422);
    expect((await resolve(one, id, 'theirs', 'admin')).status).toBe(204);
    expect(await conflictsOf(one, 'admin')).toEqual([]);
  });

  it('becomes a conflict of the entity if others have moved the file', async () => {
    const text = FILES['article/moon.md'].replace('title', 'id: luna\ntitle');
    const { one, pushMeanwhile } = await openServers({ 'article/moon.md': text });
    pushMeanwhile(one, { [MOON]: null, 'content/article/moved.md': text });
    const answer = await one.send('PATCH', '/jsonapi/node/article/luna', {
      data: { type: 'node--article', id: 'luna', attributes: { title: 'New moon' } },
    });
    expect(answer.status).toBe(412);
    await eventually(async () => {
      const [{ attributes }] = await conflictsOf(one);
      expect(attributes).toMatchObject({
        kind: 'fields',
        entity: { type: 'node--article', id: 'luna' },
        fields: [{ name: 'title', mine: 'New moon', theirs: 'Moon', present: 'Moon' }],
      });
    });
    const [{ id }] = await conflictsOf(one);
    expect((await resolve(one, id, 'mine')).status).toBe(204);
    expect(one.git('show', 'HEAD:content/article/moved.md')).toContain('title: New moon');
  });
});

describe('a conflict', () => {
  it('shows only fields that the account may change', async () => {
    const { one, pushMeanwhile } = await openServers(
      { 'article/moon.md': '---\ntitle: Moon\ncolor: pale\nsecret: one\n---\n' },
      {
        roles: {
          writer: {
            permissions: [
              {
                actions: ['view', 'update'],
                bundles: ['article'],
                fields: { view: { except: ['secret'] }, change: { except: ['color'] } },
              },
            ],
          },
        },
        tomRoles: ['writer'],
      },
    );
    pushMeanwhile(one, {
      'content/article/moon.md': '---\ntitle: Full moon\ncolor: red\nsecret: two\n---\n',
    });
    await one.send('PATCH', '/jsonapi/node/article/moon', {
      data: {
        ...{ type: 'node--article', id: 'moon' },
        attributes: { title: 'New moon', color: 'dark', secret: 'three' },
      },
    });
    const names = ([conflict]: { attributes: { fields: { name: string }[] } }[]) =>
      conflict?.attributes.fields.map(({ name }) => name);
    expect(names(await conflictsOf(one))).toEqual(['title', 'color', 'secret']);
    expect(names(await conflictsOf(one, 'tom'))).toEqual(['title']);
    const [{ id }] = await conflictsOf(one, 'tom');
    expect((await resolve(one, id, 'theirs', 'tom')).status).toBe(204);
    expect(await conflictsOf(one, 'tom')).toEqual([]);
    expect(names(await conflictsOf(one))).toEqual(['color', 'secret']);
  });
});

describe('a conflict about a removed entity', () => {
  const view = { actions: ['view', 'create', 'update'] as const, bundles: '*' } as const;
  const ROLES: Roles = {
    authenticated: { permissions: [] },
    partial: {
      permissions: [
        { ...view, actions: ['view', 'create', 'delete'], fields: { view: { except: ['color'] } } },
      ],
    },
    careful: { permissions: [view] },
    full: { permissions: [{ ...view, actions: ['view', 'create', 'delete'] }] },
  };
  const KINDS = ['removed-here', 'removed-by-others'] as const;

  it.each([
    ['is visible to users with permission to create and delete it with all fields', 'full', [true, true]],
    [
      'is hidden from users without permission to delete it, if its author removed it',
      'careful',
      [false, true],
    ],
    ['is hidden from users who do not see all of its fields, if others removed it', 'partial', [true, false]],
  ] as const)('%s', async (_, role, expected) => {
    const services = await createServices(createMemoryDriver(FILES), undefined, { roles: ROLES });
    const access = services.access({ name: 'tom', roles: [role] });
    const moon = services.store.get('node--article', 'moon');
    const known = { id: 'c', commit: 'c', key: 'article/moon.md', at: 0, author: 'ann', message: 'm' };
    const stored = { ...known, resolved: [], mine: undefined, theirs: undefined };
    const sidesOf = (kind: (typeof KINDS)[number]) => ({
      mine: kind === 'removed-here' ? undefined : moon && { ...moon, id: 'old' },
      theirs: kind === 'removed-here' ? moon : undefined,
      later: undefined,
      unknown: [],
    });
    const visible = KINDS.map((kind) =>
      visibleConflict(services, access, { ...stored, sides: sidesOf(kind) }),
    );
    expect((await Promise.all(visible)).map((each, at) => each?.kind === KINDS[at])).toEqual(expected);
  });
});
