import { ANONYMOUS } from '../../access/actor.ts';
import { EXPLORER_PATH } from '../../api/routes.ts';
import type { QueryObserver } from '../../builder/observe-queries.ts';
import type { Handler } from '../../server/handler.ts';

/** The handler, with what scripts of a page ask of the API observed as queries of that page. */
export function observedHandler(handle: Handler, observe: QueryObserver): Handler {
  return async (request, context) => {
    if (request.method !== 'GET' || !isOfPage(request)) return handle(request, context);
    let first: Response | undefined;
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const code = `fetch('${path}')`;
    await observe({ code, path, actor: context?.actor ?? ANONYMOUS }, async () => {
      const fresh = () => handle(new Request(request.url, { headers: ACCEPT }), context);
      if (first !== undefined) return bodyOf(await fresh());
      first = await handle(request, context);
      // A page that has the answer already is sent none.
      return bodyOf(first?.status === 304 ? await fresh() : first?.clone());
    });
    return first;
  };
}

const ACCEPT = { accept: 'application/json, */*' };

function isOfPage({ headers }: Request): boolean {
  const from = headers.get('referer');
  return from !== null && URL.canParse(from) && !new URL(from).pathname.includes(EXPLORER_PATH);
}

async function bodyOf(response: Response | undefined): Promise<unknown> {
  const text = (await response?.text()) ?? '';
  if (response?.headers.get('content-type')?.includes('json') !== true) return text;
  return JSON.parse(text);
}
