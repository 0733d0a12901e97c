import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createGitSite, openContent, sendTo } from '../../support/git-site.ts';
import { createRenderer, mergePairs } from '../../support/merge-bodies.ts';
import { openServers, type Server } from '../../support/two-servers.ts';

const CODE = ['Start.', '', '```', 'One.', 'Two.', 'Three.', '```', '', 'End.'];
const WITHOUT_FENCE = CODE.filter((line) => line !== '```').join('\n');
const WITH_SCRIPT = CODE.join('\n').replace('Two.', 'Two.\n<script>alert(1)</script>');

it('two accepted bodies whose lines would merge into a script are a conflict', async () => {
  const { one, other, git } = await openServers(
    { 'article/moon.md': `---\ntitle: Moon\n---\n${CODE.join('\n')}\n` },
    { renderBody: await createRenderer() },
  );
  const bodies = [
    [one, WITH_SCRIPT],
    [other, WITHOUT_FENCE],
  ] as const;
  const answers = await Promise.all(bodies.map(([server, value]) => server.patch({ body: { value } })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  const refused = answers.find(({ status }) => status === 412);
  expect(refused?.json.errors).toMatchObject([
    { source: { pointer: '/data/attributes/body' }, meta: { field: 'body', isRestSaved: false } },
  ]);
  const [kept, lost] =
    answers[0]?.status === 200 ? [WITH_SCRIPT, WITHOUT_FENCE] : [WITHOUT_FENCE, WITH_SCRIPT];
  expect(git('show', 'main:content/article/moon.md')).toBe(`---\ntitle: Moon\n---\n${kept}`);
  for (const server of [one, other]) {
    await eventually(async () => {
      server.look();
      const { body } = (await server.get()).json.data.attributes;
      expect([body.value, body.processed]).toEqual([kept, expect.not.stringContaining('<script')]);
      const { data } = (await server.send('GET', '/jsonapi/_conflicts')).json;
      expect(data[0]?.attributes.fields).toMatchObject([{ name: 'body', mine: { value: lost } }]);
    });
  }
});

it('an accepted body is not merged into a commit by hand if the result is not safe', async () => {
  const fileOf = (body: string) => `---\ntitle: Moon\n---\n${body}\n`;
  const site = await createGitSite({ 'article/moon.md': fileOf(CODE.join('\n')) });
  const place = { root: site.root, folder: 'content', accountsFile: site.accountsFile };
  const renderBody = await createRenderer();
  const { runtime, lines } = await openContent(
    place,
    { git: { commit: { quiet: 3600 } } },
    undefined,
    renderBody,
  );
  site.git('checkout', '-q', '-b', 'theirs');
  site.write('content/article/moon.md', fileOf(WITHOUT_FENCE));
  site.git('commit', '-q', '-a', '-m', 'Theirs');
  site.git('checkout', '-q', 'main');
  const data = { type: 'node--article', id: 'moon', attributes: { body: { value: WITH_SCRIPT } } };
  const answer = await sendTo(runtime, 'PATCH', '/jsonapi/node/article/moon', { data }, site.tokens.jane);
  expect(answer.status).toBe(200);
  site.git('rebase', '-q', '--autostash', 'theirs');
  await runtime.close();
  expect(site.git('show', 'HEAD:content/article/moon.md')).toBe(fileOf(WITHOUT_FENCE).trimEnd());
  expect(lines.join('\n')).toContain('someone else has committed conflicting changes');
});

describe('a body that is pulled', () => {
  const SCRIPT = '<script>alert(1)</script>';
  const fileOf = (body: string, title = 'Moon') => `---\ntitle: ${title}\n---\n${body}\n`;
  const open = async () => {
    const renderBody = await createRenderer();
    const servers = await openServers({ 'article/moon.md': fileOf('Old.') }, { renderBody });
    for (const server of [servers.one, servers.other]) {
      await eventually(async () => expect((await server.get()).headers.get('content-commit')).not.toBeNull());
    }
    return servers;
  };
  const bodyOf = async (server: Server) => (await server.get()).json.data.attributes.body.value;

  it('is taken back on all servers if the account of its commit may not write it', async () => {
    const { one, other, push, git } = await open();
    push({ 'content/article/moon.md': fileOf(SCRIPT, 'New moon') }, 'jane@example.org');
    for (const server of [one, other]) {
      await eventually(async () => {
        server.look();
        expect([await server.titles(), await bodyOf(server)]).toEqual(['New moon', 'Old.']);
        const { data } = (await server.send('GET', '/jsonapi/_conflicts')).json;
        expect(data.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
          { fields: [{ name: 'body', mine: { value: SCRIPT }, present: { value: 'Old.' } }] },
        ]);
      });
    }
    await eventually(() =>
      expect(git('show', 'main:content/article/moon.md')).toBe(fileOf('Old.', 'New moon').trim()),
    );
    expect(git('log', '--format=%s', 'main').split('\n')).toEqual([
      'Take back the text of content/article/moon.md',
      'By hand',
      'Begin',
    ]);
    // Without the permission, no account can take it over.
    const [{ id }] = (await one.send('GET', '/jsonapi/_conflicts')).json.data;
    const decision = { data: { type: 'conflict', id, attributes: { resolution: 'mine' } } };
    const refused = await one.send('PATCH', `/jsonapi/_conflicts/${id}`, decision);
    expect([refused.status, refused.json.errors[0].source]).toEqual([
      422,
      { pointer: '/data/attributes/resolution/body' },
    ]);
  });

  it('stays if its author has no account, or the permission, also when others change another field', async () => {
    const { one, other, push } = await open();
    push({ 'content/article/moon.md': fileOf(`${SCRIPT}\n\nBy Ann.`) });
    one.look();
    await eventually(async () => expect(await bodyOf(one)).toContain('By Ann.'));
    expect((await one.patch({ title: 'By Jane' })).status).toBe(200);
    await eventually(async () => {
      other.look();
      expect([await other.titles(), await bodyOf(other)]).toEqual(['By Jane', `${SCRIPT}\n\nBy Ann.`]);
    });
    const data = {
      type: 'node--article',
      id: 'moon',
      attributes: { body: { value: `${SCRIPT}\n\nBy admin.` } },
    };
    expect((await other.send('PATCH', '/jsonapi/node/article/moon', { data }, 'admin')).status).toBe(200);
    await eventually(async () => {
      one.look();
      expect(await bodyOf(one)).toContain('By admin.');
    });
    expect((await one.send('GET', '/jsonapi/_conflicts')).json.data).toEqual([]);
  });
});

it('a body merged from accepted bodies is as harmless as they are', async () => {
  const { merged, unsafe, failures } = await mergePairs(150, 1);
  expect(failures).toEqual([]);
  expect(merged).toBeGreaterThan(20);
  expect(unsafe).toBeGreaterThan(0);
});
