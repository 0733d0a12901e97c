import { astro, FetchState } from 'astro/fetch';
import { jsonapiFetch } from '../../fetch.ts';

/** The door in front of Astro's pipeline, for sites without a fetch file of their own. */
export default {
  fetch: (request: Request): Promise<Response> =>
    jsonapiFetch(request, (other) => astro(new FetchState(other))),
};
