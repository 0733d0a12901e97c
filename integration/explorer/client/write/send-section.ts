import { button, h } from '../dom.ts';
import type { WriteTarget } from './write-target.ts';

export interface SendSection {
  readonly target: WriteTarget;
  /** Of what was read, for `If-Match`; undefined where there is none. */
  readonly tag: string | undefined;
  /** Whether it is sent. */
  readonly matches: boolean;
  setMatches(matches: boolean): void;
  send(): void;
  /** Forgets what was written; absent where nothing is. */
  readonly restart: (() => void) | undefined;
}

/** The end of the form: on which condition, and the button that sends. */
export function sendSection(options: SendSection): HTMLElement {
  const { target, tag, matches, setMatches, send, restart } = options;
  const { method, formed } = target;
  const match = h('input', { type: 'checkbox', checked: matches, onchange: () => setMatches(match.checked) });
  const label = h('span', {}, 'Only if it is still as it was read ', h('code', {}, `If-Match: ${tag}`));
  const look = { class: method === 'DELETE' ? 'danger' : 'primary', id: 'send' };
  return h(
    'section',
    { class: 'part stack', 'aria-label': 'Send' },
    tag === undefined ? null : h('label', { class: 'check' }, match, label),
    method === 'PATCH' && formed ? h('p', { class: 'hint' }, 'Only what you change is sent.') : null,
    h(
      'div',
      { class: 'beside' },
      button(formed ? SEND[method] : 'Send', send, look),
      restart === undefined ? null : button('Start over', restart),
    ),
  );
}

const SEND = { POST: 'Create', PATCH: 'Save changes', DELETE: 'Delete …' } as const;
