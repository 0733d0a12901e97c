import { describe, expect, it } from 'vitest';
import { createLibrary, type Library } from './library.ts';

describe.each<[string, () => Promise<Library>]>([
  ['asked', () => createLibrary()],
  [
    'built and observed',
    () =>
      createLibrary(undefined, undefined, {
        async observe(_, ask) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return await ask();
        },
      }),
  ],
])('the error of an invalid query that is %s', (_, open) => {
  it.each<[string, (library: Library) => Promise<unknown>]>([
    ['where', async ({ entities }) => await entities('article').where('field_ratin', '=', 3).all()],
    ['sort and first', async ({ entities }) => await entities('article').sort('field_ratin').first()],
    ['include', async ({ entities }) => await entities('article').include('field_autor').all()],
    ['get', async ({ entities }) => await entities('article').where('nope', '=', 1).get('first')],
    ['surroundings', async ({ entities }) => await entities('article').sort('nope').surroundings('first')],
    ['count', async ({ entities }) => await entities('article').where('nope', '=', 1).count()],
    ['without await', ({ entities }) => entities('article').where('nope', '=', 1).all()],
    ['unknown bundle', ({ entities }) => entities('nope').all()],
    ['paginate', ({ entities }) => entities('article').sort('nope').paginate({ size: 2 })],
    ['jsonapi', async ({ jsonapi }) => await jsonapi('/node/article?filter[nope]=1')],
  ])('has a stack that starts at the call: %s', async (_name, ask) => {
    const library = await open();
    const error = await Promise.resolve(ask(library)).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    const [first = ''] = String((error as Error).stack)
      .split('\n')
      .filter((line) => /^\s+at /.test(line));
    expect(first).toContain('query-errors.test.ts');
  });
});
