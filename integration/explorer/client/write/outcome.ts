import { button, type Child, h } from '../dom.ts';
import { writeHash } from '../location-hash.ts';
import type { Answer } from '../request.ts';
import { isRecord } from '../schema.ts';
import { type RefusalContext, wayBack } from './refusal.ts';
import { pathTo, type WriteTarget } from './write-target.ts';

/** What became of a request, in a word or two. */
export function outcome({ method, formed }: WriteTarget, { status }: Answer): string {
  const [done, failed] = formed ? OUTCOMES[method] : OUTCOMES.PATCH;
  if (status === undefined || status >= 400) return failed;
  return status === 202 ? `${done}, and a job goes on` : done;
}

const OUTCOMES = {
  POST: ['Created', 'Not created'],
  PATCH: ['Changed', 'Not changed'],
  DELETE: ['Deleted', 'Not deleted'],
} as const;

/** What can be done next: to what was created, to those that are left, or about why nothing was done. */
export function nextSteps(
  { method, type, formed }: WriteTarget,
  answer: Answer,
  context: RefusalContext,
  readAgain: () => void,
): readonly Child[] {
  if (answer.status === 401 || answer.status === 404) return [wayBack(context)];
  if (answer.status === 412) {
    const said =
      'It has changed since you read it. What you have written is kept: read it again to see both.';
    return [h('p', {}, said), button('Read it again', readAgain)];
  }
  if (!formed || answer.status === undefined || answer.status >= 400) return [];
  const step = (text: string, hash: string): HTMLElement => h('a', { class: 'button', href: hash }, text);
  if (method === 'DELETE') return [step(`See ${type.bundle}`, writeHash({ path: pathTo(type) }))];
  const data = isRecord(answer.document) ? answer.document.data : undefined;
  if (method !== 'POST' || !isRecord(data) || typeof data.id !== 'string') return [];
  const path = pathTo(type, data.id);
  return [
    step('Open it', writeHash({ path })),
    step('Change it', writeHash({ method: 'PATCH', path })),
    step('Delete it', writeHash({ method: 'DELETE', path })),
  ];
}
