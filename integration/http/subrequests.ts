import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { type Limits, optionName } from '../query/limits.ts';

/** Answers one request of ours; undefined for a path that is not. */
type Ask = (request: Request) => Promise<Response | undefined>;

/** One answer among many, as Drupal's module subrequests writes it: the body is a text. */
interface SubresponseBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, readonly (string | number)[]>>;
}

/**
 * Carries out a list of GET requests in one, as Drupal's module subrequests does for `action: 'view'`. A `uri` may hold
 * parts of an earlier answer, `{{router.body@$.jsonapi.individual}}`; its answer is then named `<requestId>#uri{0}`, and
 * is left out where that part is not there. Throws a 400 for a body that is no such list.
 */
export async function answerSubrequests(
  body: string,
  origin: string,
  ask: Ask,
  limits: Limits,
): Promise<Readonly<Record<string, SubresponseBody>>> {
  const requests = readList(body, limits);
  const bodies = new Map<string, unknown>();
  const answers = Object.create(null) as Record<string, SubresponseBody>;
  for (const { requestId, uri, headers } of requests) {
    const target = fillIn(uri, bodies);
    if (target === undefined) continue;
    const url = ownUrl(target, origin);
    const accept = Object.entries(headers).find(([name]) => name.toLowerCase() === 'accept')?.[1];
    const request = new Request(url, accept === undefined ? {} : { headers: { accept } });
    const response = await ask(request);
    if (response === undefined) throw badRequest(`Nothing is answered at '${url.pathname}' here.`);
    const text = await response.text();
    bodies.set(requestId, JSON.parse(text));
    const name = target === uri ? requestId : `${requestId}#uri{0}`;
    answers[name] = {
      body: text,
      headers: {
        'content-id': [`<${name}>`],
        'content-type': [response.headers.get('content-type') ?? ''],
        status: [response.status],
      },
    };
  }
  return answers;
}

function readList(body: string, { subrequests }: Limits): z.output<typeof listSchema> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw badRequest('The body is not JSON.', error);
  }
  const result = listSchema.safeParse(json);
  if (result.success) {
    if (result.data.length <= subrequests) return result.data;
    throw badRequest(
      `The body may hold ${subrequests} requests at most, not ${result.data.length} (${optionName('subrequests')}).`,
    );
  }
  const [issue] = result.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'The body' : issue.path.join('.');
  throw badRequest(`${place}: ${issue?.message ?? 'is no list of requests'}.`);
}

const listSchema = z.array(
  z.object({
    requestId: z.string().min(1),
    action: z.literal('view', "only 'view' is carried out"),
    uri: z.string().min(1),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  'is no list of requests',
);

/** The address with its tokens replaced; undefined where an answer does not have the part. */
function fillIn(uri: string, bodies: ReadonlyMap<string, unknown>): string | undefined {
  let whole = true;
  const filled = uri.replace(TOKEN, (_, requestId: string, path: string) => {
    let value = bodies.get(requestId);
    for (const name of path.split('.')) {
      const held = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      value = held ? Reflect.get(value as object, name) : undefined;
    }
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    whole = false;
    return '';
  });
  return whole ? filled : undefined;
}

/** `{{router.body@$.jsonapi.individual}}` */
const TOKEN = /\{\{([^{}.]+)\.body@\$\.([^{}]+)\}\}/g;

function ownUrl(target: string, origin: string): URL {
  const url = URL.canParse(target, origin) ? new URL(target, origin) : undefined;
  if (url?.origin !== origin) throw badRequest(`'${target}' is no address of this site.`);
  return url;
}

function badRequest(detail: string, cause?: unknown): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail, cause });
}
