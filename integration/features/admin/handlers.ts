import { explain } from '../../core/api/explain.ts';
import { checkMethod, type PageRequest, type RouteHandlers } from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { writeJson } from '../../core/read/compose.ts';
import { acceptedCoding, zip } from './content-coding.ts';
import { explorerSchema } from './explorer.ts';
import { readMe } from './me.ts';
import { readStatus } from './status.ts';

/** The handlers that need no account and no files of the admin. */
export const ADMIN_HANDLERS: RouteHandlers = {
  me: {
    async answer(request) {
      return { ...readMe(request), headers: { 'cache-control': 'no-store' } };
    },
  },
  status: { answer: readStatus },
  'explorer-schema': {
    async answer({ services, access, headers }) {
      const written = writeJson(await explorerSchema(services, access, 'server'));
      const vary = { vary: 'Accept, Accept-Encoding, Authorization, Cookie' };
      // Compressing is safe here: the document repeats nothing of the request.
      if (acceptedCoding(headers.get('accept-encoding'), ['gzip']) === undefined)
        return { ...written, headers: vary };
      return {
        bytes: await zip(written.bytes),
        tag: `${written.tag}-gzip`,
        headers: { ...vary, 'content-encoding': 'gzip' },
      };
    },
  },
  'explorer-explain': {
    answer: async ({ services, actor, target }) => writeJson(await explain(services, actor, target.query)),
  },
  explorer: { respond: explorerResponse, needsNoContent: true },
};

async function explorerResponse({
  request,
  target,
  context: { explorerPage },
}: PageRequest): Promise<Response | undefined> {
  if (explorerPage === undefined) return undefined;
  const methods = methodsOf(target.route);
  checkMethod(request.method, methods);
  if (request.method === 'OPTIONS') {
    return new Response(null, { status: 204, headers: { ...PAGE_POLICY, allow: methods.join(', ') } });
  }
  const headers = {
    ...PAGE_POLICY,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  };
  return new Response(request.method === 'HEAD' ? null : await explorerPage(), { headers });
}

const PAGE_POLICY = {
  // The page contains the rest of the policy. Browsers ignore this part there.
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
