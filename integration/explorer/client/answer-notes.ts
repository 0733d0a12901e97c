import { button, type Child, h, replaceChildren } from './dom.ts';
import type { LinkOf } from './json-view.ts';
import { type Answer, ask } from './request.ts';
import { type Job, readJob } from './write/job.ts';

/** What an answer to a write says beside its document: headers, and the job that goes on. */
export function answerNotes(answer: Answer, linkOf: LinkOf): readonly Child[] {
  const shown = [...answer.headers].filter(([name]) => answer.method !== 'GET' || name === 'ETag');
  const job = readJob(answer.document);
  return [
    shown.length === 0 || answer.method === 'GET'
      ? null
      : h(
          'dl',
          { class: 'headers', 'aria-label': 'Headers' },
          ...shown.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, linked(value, linkOf))]),
        ),
    job === undefined ? null : jobNote(job, linkOf),
  ];
}

function jobNote(first: Job, linkOf: LinkOf): HTMLElement {
  const place = h('div', { class: 'note job', role: 'status' });
  draw(first);
  return place;

  function draw(job: Job): void {
    const { href } = job;
    const state = job.state === '' ? 'under way' : job.state;
    replaceChildren(
      place,
      h('p', {}, 'Job: ', h('strong', {}, state), ...job.details.map(([name, text]) => ` · ${name} ${text}`)),
      href === undefined ? null : h('p', {}, linked(href, linkOf)),
      href === undefined ? null : button('Ask again', () => void again(href), { class: 'small' }),
    );
  }

  async function again(href: string): Promise<void> {
    const answer = await ask(new URL(href, location.href).href, new AbortController().signal);
    const job = readJob(answer.document);
    // Who asks is told at an address of its own, which need not say where it is.
    draw({ state: answer.failure ?? String(answer.status), details: [], ...job, href: job?.href ?? href });
  }
}

/** An address of the API opens in the explorer; any other of the site, beside it. */
function linked(text: string, linkOf: LinkOf): Child {
  const hash = linkOf(text);
  if (hash !== undefined) return h('a', { href: hash }, text);
  const isAddress = /^(?:https?:\/)?\//.test(text);
  return isAddress ? h('a', { href: text, target: '_blank', rel: 'noopener' }, text) : text;
}
