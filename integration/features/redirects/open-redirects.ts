import { checkMethod } from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import type { OpenedFeature, OpeningRuntime } from '../../core/runtime/site.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import { createFindRedirect } from './find-redirect.ts';
import { createFollowRedirects } from './follow-changes.ts';
import { countEntities, createLinkProblems, MOST_CHECKED } from './links.ts';
import { redirectProblems } from './problems.ts';
import { readRedirects } from './redirect-file.ts';
import { LIST_HANDLERS } from './redirects.ts';

export function openRedirects({ services }: OpeningRuntime): OpenedFeature {
  const findRedirect = createFindRedirect();
  const linkProblems = createLinkProblems();
  return {
    findRedirect,
    problems() {
      const { store } = services();
      return countEntities(store) > MOST_CHECKED ? [] : linkProblems(services());
    },
    async notes() {
      const reader = services();
      const file = await readRedirects(reader.files);
      if (file.redirects.size === 0) return file.problems;
      const links = countEntities(reader.store) > MOST_CHECKED ? [] : linkProblems(reader, file);
      return [...redirectProblems(reader, file), ...links.filter(({ code }) => code === 'link/moved')];
    },
    follow: createFollowRedirects(() => services().settings),
    handlers: {
      ...LIST_HANDLERS,
      redirect: {
        async respond({ request, target, visitor }) {
          checkMethod(request.method, methodsOf(target.route));
          const path = new URLSearchParams(target.query).get('path') ?? '';
          if (path === '') throw new BadParameterError('path', 'Send the old address, such as ?path=/old.');
          const { actor } = await visitor();
          // Pages can show content that is not in the API.
          const reader = services();
          const to = await findRedirect({ services: reader, access: reader.access(actor), actor }, path);
          // The site answers, and the log has no second line for its 404.
          if (to === undefined) return undefined;
          // Browsers keep a redirect for good without a limit, and an entry can move back.
          const cacheControl = actor.name === null ? 'no-cache' : 'private, no-cache';
          return new Response(null, {
            status: 301,
            headers: { location: to, 'cache-control': cacheControl },
          });
        },
      },
    },
  };
}
