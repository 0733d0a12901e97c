import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Actor, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { projectImages } from '../../../integration/core/runtime/project-images.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { image } from '../../../integration/schema.ts';
import { article, ask, EDITOR } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { png } from '../../support/pictures.ts';
import { createServices, publishedContentFiles } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const COVER = png(640, 480);
const JANE: Actor = { name: 'jane', roles: ['author'] };
const ROLES = {
  author: { permissions: [{ actions: ['view', 'update'], bundles: ['article'], where: 'own' }] },
} as const;

function project(files: Readonly<Record<string, string | Uint8Array>>) {
  const parent = temporaryFolder();
  const root = path.join(parent, 'site');
  const all = {
    'src/assets/cover.png': COVER,
    'src/assets/secret.txt': 'secret',
    'src/.cache/hidden.png': COVER,
    'node_modules/pkg/logo.png': COVER,
    'src/content/article/_hidden/private.png': COVER,
    'src/content/article/b.md': '---\ndraft: true\n---\n![B](../../assets/draft.png)\n',
    'src/assets/draft.png': COVER,
    ...files,
  };
  for (const [name, bytes] of Object.entries(all)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  writeFileSync(path.join(parent, 'outside.png'), COVER);
  const contentDir = path.join(root, 'src/content');
  const open = async () =>
    createServices(
      createFsDriver(contentDir),
      { article: { cover: image().nullish() } },
      { outsideImages: projectImages(root, contentDir), writable: {}, roles: ROLES },
    );
  return { root, contentDir, open };
}

const URL = '/content-files/_up/assets/cover.png';

describe('images of the project', () => {
  it('work in fields and bodies, are served, and are part of a static site', async () => {
    const { open } = project({
      'src/content/article/a.md': '---\ncover: ../../assets/cover.png\n---\n![A](../../assets/cover.png)\n',
    });
    const services = await open();
    expect(services.diagnostics().filter(({ severity }) => severity !== 'info')).toEqual([]);
    const [entity] = services.store.entities('node--article').filter(({ id }) => id === 'a');
    expect(entity?.values.cover).toMatchObject({ uri: { url: URL }, width: 640, filename: 'cover.png' });
    expect(entity?.images?.map(({ url }) => url)).toEqual([URL]);
    const handle = createHandler(services);
    const answer = await handle(new Request(`http://localhost${URL}`));
    expect([answer?.status, answer?.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await answer?.bytes()).toEqual(new Uint8Array(COVER));
    const paths: string[] = [];
    for await (const { path: file } of publishedContentFiles(services)) paths.push(file);
    expect(paths).toEqual([URL.slice(1)]);
  });

  it('are as visible as the entities that name them', async () => {
    const handle = createHandler(await project({ 'src/content/article/a.md': 'Text\n' }).open());
    for (const name of ['draft.png', 'cover.png', 'missing.png', 'secret.txt']) {
      const { status } = await ask(handle, 'GET', `/content-files/_up/assets/${name}`, { actor: ANONYMOUS });
      expect([name, status]).toEqual([name, 404]);
    }
  });

  it('can be named by accounts that may change everything, and look missing to others', async () => {
    const { contentDir, open } = project({ 'src/content/article/a.md': '---\nuid: jane\n---\nText\n' });
    const handle = createHandler(await open());
    const save = (actor: Actor, name: string) =>
      ask(handle, 'PATCH', '/jsonapi/node/article/a', {
        actor,
        headers: { 'content-type': 'application/vnd.api+json' },
        body: article(
          {
            cover: { uri: { value: `content://_up/assets/${name}` } },
            body: { value: `![A](../../assets/${name})` },
          },
          { id: 'a' },
        ),
      });
    const [hidden, missing] = [await save(JANE, 'cover.png'), await save(JANE, 'nothing.png')];
    expect(hidden.status).toBe(422);
    expect(hidden.json.errors).toEqual(missing.json.errors);
    expect((await save(EDITOR, 'nothing.png')).status).toBe(422);
    expect((await save(EDITOR, 'cover.png')).status).toBe(200);
    expect(readFileSync(path.join(contentDir, 'article/a.md'), 'utf8')).toContain(
      'cover: ../../assets/cover.png\n',
    );
  });

  it.each([
    ['of hidden folders', '../../.cache/hidden.png', 'body/image-outside'],
    ['of packages', '../../../node_modules/pkg/logo.png', 'body/image-outside'],
    ['that are not images', '../../assets/secret.txt', 'body/image-outside'],
    ['outside of the project', '../../../../outside.png', 'body/image-outside'],
    ['of private folders of the content', '../../content/article/_hidden/private.png', 'body/image-outside'],
    ['that are links out of the project', '../../assets/out.png', 'body/image-outside'],
    ['that are links to private files', '../../assets/in.png', 'body/image-outside'],
  ])('do not include files %s', async (_name, src, code) => {
    const { root, open } = project({ 'src/content/article/a.md': `![A](${src})\n` });
    symlinkSync(path.join(root, '../outside.png'), path.join(root, 'src/assets/out.png'));
    symlinkSync(
      path.join(root, 'src/content/article/_hidden/private.png'),
      path.join(root, 'src/assets/in.png'),
    );
    const services = await open();
    expect(services.diagnostics().filter(({ severity }) => severity === 'warning')).toMatchObject([{ code }]);
    expect(services.store.entities('node--article').flatMap(({ images = [] }) => images)).toHaveLength(1);
  });
});
