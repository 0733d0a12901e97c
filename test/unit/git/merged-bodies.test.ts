import { expect, it } from 'vitest';
import { eventually } from '../../eventually.ts';
import { createRenderer, mergePairs } from '../../merge-bodies.ts';
import { openServers } from '../../two-servers.ts';

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

it('what accepted bodies merge into is as harmless as they are', async () => {
  const { merged, unsafe, failures } = await mergePairs(150, 1);
  expect(failures).toEqual([]);
  expect(merged).toBeGreaterThan(20);
  expect(unsafe).toBeGreaterThan(0);
});
