import { button, type Child, h, replaceChildren } from './dom.ts';
import type { LinkOf } from './json-view.ts';
import { type Answer, ask } from './request.ts';
import { type Job, readJob } from './write/job.ts';

/** What an answer to a write says beside its document: headers, and the job that goes on. */
export function answerNotes(answer: Answer, linkOf: LinkOf): readonly Child[] {
  const job = readJob(answer.document);
  return [
    answer.headers.size === 0 || answer.method === 'GET'
      ? null
      : h(
          'dl',
          { class: 'headers', 'aria-label': 'Headers' },
          ...[...answer.headers].flatMap(([name, value]) => [
            h('dt', {}, name),
            h('dd', {}, linked(value, linkOf)),
          ]),
        ),
    job === undefined ? null : jobNote(job, linkOf),
  ];
}

/** Asks how it goes until it has ended, and whenever it is told to. */
function jobNote(first: Job, linkOf: LinkOf): HTMLElement {
  const place = h('div', { class: 'note job', role: 'status' });
  let asked = 0;
  draw(first);
  return place;

  function draw({ state, href, details }: Job): void {
    const said = details.map(([name, text]) => ` · ${name} ${text}`);
    replaceChildren(
      place,
      h('p', {}, 'Job: ', h('strong', {}, state === '' ? 'under way' : state), ...said),
      href === undefined ? null : h('p', {}, linked(href, linkOf)),
      href === undefined ? null : button('Ask again', () => void again(href), { class: 'small' }),
    );
    if (href !== undefined && state === 'pending' && asked < MOST_ASKED)
      setTimeout(() => again(href), ASK_MS);
  }

  async function again(href: string): Promise<void> {
    // Another answer may be shown by now.
    if (!place.isConnected) return;
    asked++;
    const answer = await ask(new URL(href, location.href).href, new AbortController().signal);
    const state = answer.failure ?? String(answer.status);
    draw({ ...(readJob(answer.document) ?? { state, details: [] }), href });
  }
}

const ASK_MS = 1000;
const MOST_ASKED = 30;

/** An address of the API opens in the explorer; any other of the site, beside it. */
function linked(text: string, linkOf: LinkOf): Child {
  const hash = linkOf(text);
  if (hash !== undefined) return h('a', { href: hash }, text);
  const isAddress = /^(?:https?:\/)?\//.test(text);
  return isAddress ? h('a', { href: text, target: '_blank', rel: 'noopener' }, text) : text;
}
