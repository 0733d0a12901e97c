import { astro, FetchState } from 'astro/fetch';
import { jsonapiFetch } from '../fetch.ts';

/** Refused by Astro before any routing, because its encoding is nested too deeply. */
const REFUSED_PATH = `/%${'25'.repeat(12)}41`;

let announced = false;

/** The door in front of Astro's pipeline, for sites without a fetch file of their own. */
export default {
  async fetch(request: Request): Promise<Response> {
    const response = await jsonapiFetch(request);
    if (response === undefined) return astro(new FetchState(request));
    if (!announced) {
      announced = true;
      await announcePipeline(request);
    }
    return response;
  },
};

// After the first request Astro warns of sessions, actions and middleware that a fetch file does not call.
// When that request is ours the pipeline has not run yet, so it is called once here, at no cost.
async function announcePipeline(request: Request): Promise<void> {
  await astro(new FetchState(new Request(new URL(REFUSED_PATH, request.url))));
}
