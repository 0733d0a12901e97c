import { type Child, h } from '../dom.ts';
import type { ExplorerConfig, ExplorerSchema } from '../schema.ts';
import { signInLink } from './account.ts';
import type { Stored } from './stored.ts';
import type { WriteTarget } from './write-target.ts';

export interface RefusalContext {
  readonly config: ExplorerConfig;
  readonly schema: ExplorerSchema;
  /** Who is signed in; undefined for nobody. */
  readonly account: string | undefined;
}

/** Why a request would come to nothing, to be said in place of its form; undefined where it may be sent. */
export function refusal(
  { method, type, id, formed }: WriteTarget,
  stored: Stored,
  context: RefusalContext,
): readonly Child[] | undefined {
  const { schema, account } = context;
  if (!schema.writes) {
    return [
      h(
        'p',
        {},
        'This site is read-only: it has no server that could write (no adapter), or option editing is off.',
      ),
    ];
  }
  if (stored.kind === 'failed') {
    const text = `'${id}' cannot be read, so there is nothing to ${VERBS[method]}: the answer says why.`;
    return [h('p', {}, text), wayIn(context)];
  }
  // Which entities an account may delete, only the answer tells.
  const may =
    stored.kind === 'nothing' || stored.writable.size > 0 || (method === 'DELETE' && account !== undefined);
  if (may || !formed) return undefined;
  const what = id === '' ? `content of type ${type.name}` : `'${id}'`;
  if (account === undefined) {
    return [
      h('p', {}, `Nobody is signed in, and without an account one may not ${VERBS[method]} ${what}.`),
      wayIn(context),
    ];
  }
  return [h('p', {}, `${account === '' ? 'This account' : account} may not ${VERBS[method]} ${what}.`)];
}

/** To whoever is not signed in; null for others. */
export function wayIn({ config, schema, account }: RefusalContext): Child {
  if (account !== undefined) return null;
  if (!schema.signIn) return h('p', { class: 'hint' }, 'This site has no accounts.');
  return h('p', {}, signInLink(config, 'Sign in'), ' and come back here.');
}

/** The same where something is written already, which another tab does not take along. */
export function wayBack({ config, schema, account }: RefusalContext): Child {
  if (account !== undefined || !schema.signIn) return wayIn({ config, schema, account });
  const link = signInLink(config, 'Sign in', '_blank');
  return h('p', {}, 'Nobody is signed in. ', link, ' in another tab, and send it again from here.');
}

const VERBS = { POST: 'create', PATCH: 'change', DELETE: 'delete' } as const;
