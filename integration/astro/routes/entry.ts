import { astro, FetchState } from 'astro/fetch';
import { jsonapiFetch } from '../../fetch.ts';

/** The fetch entry of sites without their own fetch file. */
export default {
  fetch: (request: Request): Promise<Response> =>
    jsonapiFetch(request, (other) => astro(new FetchState(other))),
};
