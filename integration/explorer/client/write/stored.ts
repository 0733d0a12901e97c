import { type Answer, ask } from '../request.ts';
import { isRecord } from '../schema.ts';
import type { WriteTarget } from './write-target.ts';

/** What is there before a request, and what of it whoever asks may change. */
export type Stored =
  /** No entity is chosen. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'new'; readonly writable: ReadonlySet<string> }
  | { readonly kind: 'failed'; readonly answer: Answer }
  | {
      readonly kind: 'found';
      readonly answer: Answer;
      /** `data` of the answer. */
      readonly data: unknown;
      readonly resource: Readonly<Record<string, unknown>>;
      readonly title: string;
      /** For `If-Match`; undefined where the answer has none. */
      readonly tag: string | undefined;
      readonly writable: ReadonlySet<string>;
    };

export async function readStored(prefix: string, target: WriteTarget, signal: AbortSignal): Promise<Stored> {
  const [address = ''] = target.path.split('?');
  const url = prefix + address;
  if (target.method !== 'POST' && target.id === '') return { kind: 'nothing' };
  const options = ask(url, signal, { method: 'OPTIONS' });
  if (target.method === 'POST' && target.formed) return { kind: 'new', writable: writableOf(await options) };
  const [told, answer] = await Promise.all([options, ask(url, signal)]);
  const data = isRecord(answer.document) ? answer.document.data : undefined;
  if (answer.status !== 200 || data === undefined) return { kind: 'failed', answer };
  const resource = isRecord(data) ? data : {};
  const attributes = isRecord(resource.attributes) ? resource.attributes : {};
  return {
    kind: 'found',
    answer,
    data,
    resource,
    title: typeof attributes.title === 'string' ? attributes.title : '',
    tag: target.formed ? tagOf(resource, answer) : undefined,
    writable: writableOf(told),
  };
}

/** What the resource says of itself is as the server has it, whatever a proxy made of the header. */
function tagOf({ meta }: Readonly<Record<string, unknown>>, { headers }: Answer): string | undefined {
  if (isRecord(meta) && typeof meta.revision === 'string') return `"${meta.revision}"`;
  return headers.get('ETag')?.replace(/^W\//, '');
}

function writableOf({ document }: Answer): ReadonlySet<string> {
  const meta = isRecord(document) && isRecord(document.meta) ? document.meta : {};
  const names = [meta.attributes, meta.relationships].flatMap((list): readonly unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return new Set(names.filter((name) => typeof name === 'string'));
}
