import { expect, it } from 'vitest';
import { writingFolder } from './writing-folder.ts';

/** A processor in the site's own astro.config. */
const CONFIG = `
const render = async (text) => {
  if (text.includes('EXIT')) process.exit(7);
  return { code: \`<p>\${text.trim()} \${process.env.SECRET}</p>\`, metadata: {} };
};
export default {
  markdown: { processor: { name: 'own', options: {}, createRenderer: async () => ({ render }) } },
};
`;

it('serve --write renders bodies in a child process, which a body may crash', async () => {
  const folder = await writingFolder([], {
    'astro.config.mjs': CONFIG,
    'content/article/one.md': '---\ntitle: One\n---\nFirst.\n',
  });
  const server = await folder.serve({ SECRET: 'hidden' });
  const address = `${server.origin}/api/content/articles/one`;
  const write = (body: string) =>
    fetch(address, {
      method: 'PATCH',
      headers: { authorization: folder.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ body }),
    });
  try {
    const refused = await write('EXIT');
    expect(await refused.text()).toContain('This text cannot be rendered: rendering takes more than');
    expect(refused.status).toBe(422);
    expect((await write('Second.')).status).toBe(201);
    expect(await (await fetch(address.replace('articles', 'article'))).text()).toContain(
      '<p>Second. undefined</p>',
    );
  } finally {
    await server.kill();
    folder.remove();
  }
});
