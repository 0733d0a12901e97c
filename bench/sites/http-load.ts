import autocannon from 'autocannon';

/** A list with a filter, a sort and two includes, over the recorded content. */
export const RECORDED_QUERY =
  '/jsonapi/node/article?filter[field_publish_state]=published&sort=-field_rating,title&include=field_author,field_tags';

export interface HttpLoad {
  /** True for a new URL in each request: they differ in the name of a condition in the query. */
  readonly isUnique: boolean;
  /** The least mean length of a response. */
  readonly bytes: number;
  /** Of all servers together. */
  readonly connections: number;
  readonly seconds: number;
}

/** Requests per second of all servers together. Throws if a request fails. */
export async function loadServers(
  origins: readonly string[],
  target: string,
  { isUnique, bytes, connections, seconds }: HttpLoad,
): Promise<number> {
  const pathOf = (n: number): string =>
    `${target}&filter[n${n}][condition][path]=title&filter[n${n}][condition][operator]=IS%20NOT%20NULL`;
  const results = await Promise.all(
    origins.map((url) =>
      autocannon({
        url,
        connections: connections / origins.length,
        duration: seconds,
        requests: [{ setupRequest: (request) => ({ ...request, path: isUnique ? pathOf(next()) : target }) }],
      }),
    ),
  );
  let rate = 0;
  for (const { non2xx, errors, throughput, requests, duration } of results) {
    if (non2xx > 0 || errors > 0) throw new Error(`${target} failed ${non2xx + errors} times.`);
    const mean = throughput.total / requests.total;
    if (mean < bytes) throw new Error(`${target} answered ${mean} bytes, less than ${bytes}.`);
    rate += requests.total / duration;
  }
  return rate;
}

let counter = 0;
function next(): number {
  counter += 1;
  return counter;
}
