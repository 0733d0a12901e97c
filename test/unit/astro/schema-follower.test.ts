import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSchemaFollower } from '../../../integration/astro/schema-follower.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the schema in astro dev', () => {
  let folder: string;
  let schema: string;
  let tell: (event: string, file: string) => void;
  const load = vi.fn(async () => undefined);
  const follow = () =>
    createSchemaFollower({
      watcher: {
        add: () => undefined,
        on(_, listener) {
          tell = listener;
        },
      },
      candidates: [schema, path.join(folder, 'schema.js')],
      load,
    });

  beforeEach(() => {
    folder = temporaryFolder();
    schema = path.join(folder, 'schema.ts');
    writeFileSync(schema, 'export default {};');
    load.mockClear();
  });

  it('is loaded once for simultaneous changes', async () => {
    const follower = follow();
    for (const event of ['unlink', 'add', 'change']) tell(event, schema);
    tell('change', path.join(folder, 'other.ts'));
    await eventually(() => expect(load).toHaveBeenCalledOnce());
    follower.close();
  });

  it('is loaded when an imported module changes, or any file while it cannot be loaded', async () => {
    const follower = follow();
    follower.addImports([path.join(folder, 'rating.ts')]);
    tell('change', path.join(folder, 'rating.ts'));
    await eventually(() => expect(load).toHaveBeenCalledTimes(1));
    follower.setFailed(true);
    tell('add', path.join(folder, 'missing.ts'));
    await eventually(() => expect(load).toHaveBeenCalledTimes(2));
    tell('add', path.join(folder, 'picture.png'));
    follower.setFailed(false);
    tell('change', path.join(folder, 'missing.ts'));
    await new Promise((done) => setTimeout(done, 100));
    expect(load).toHaveBeenCalledTimes(2);
    follower.close();
  });

  it('is found even if the watcher missed it', async () => {
    const follower = follow();
    rmSync(schema);
    tell('unlink', schema);
    await eventually(() => expect(load).toHaveBeenCalledTimes(1));
    writeFileSync(schema, 'export default { article: {} };');
    await eventually(() => expect(load).toHaveBeenCalledTimes(2));
    follower.close();
  });
});
