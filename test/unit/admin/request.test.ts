import { afterEach, expect, it, vi } from 'vitest';
import { send } from '../../../admin/src/api/request.ts';

const COMMIT = 'c'.repeat(40);
afterEach(() => vi.unstubAllGlobals());

it('requests of the admin demand the commit of its last change, until the branch was set back', async () => {
  const demands: (string | undefined)[] = [];
  let isSetBack = false;
  vi.stubGlobal('fetch', async (_: string, { headers, method }: RequestInit) => {
    const demand = (headers as Readonly<Record<string, string>>)['if-commit-at-least'];
    demands.push(demand);
    if (isSetBack && demand !== undefined) {
      return Response.json({ errors: [{ source: { header: 'If-Commit-At-Least' } }] }, { status: 412 });
    }
    return Response.json({}, { headers: { 'content-commit': method === 'PATCH' ? COMMIT : 'b'.repeat(40) } });
  });
  await send('/jsonapi/node/article');
  await send('/jsonapi/node/article/a', { method: 'PATCH' });
  await send('/jsonapi/node/article');
  isSetBack = true;
  expect((await send('/jsonapi/node/article')).status).toBe(200);
  await send('/jsonapi/node/article');
  expect(demands).toEqual([undefined, undefined, COMMIT, COMMIT, undefined, undefined]);
});
