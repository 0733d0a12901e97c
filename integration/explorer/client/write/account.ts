import { byId, h, replaceChildren } from '../dom.ts';
import { ask } from '../request.ts';
import { type ExplorerConfig, isRecord } from '../schema.ts';

/** The name of the account that is signed in; undefined for nobody. */
export async function readAccount({ base }: ExplorerConfig): Promise<string | undefined> {
  const { signal } = new AbortController();
  const status = await ask(`${base}/user/login_status?_format=json`, signal);
  if (status.document !== 1) return undefined;
  const { document } = await ask(`${base}/jsonapi`, signal);
  const meta = isRecord(document) && isRecord(document.meta) ? document.meta : {};
  const links = isRecord(meta.links) ? meta.links : {};
  const me = isRecord(links.me) && isRecord(links.me.meta) ? links.me.meta.id : undefined;
  return typeof me === 'string' ? me : '';
}

/** Says at the top of the page who is signed in, with the way in or out. */
export function showAccount(config: ExplorerConfig, account: string | undefined): void {
  const text =
    account === undefined
      ? 'Not signed in'
      : account === ''
        ? 'Signed in'
        : h('span', {}, 'Signed in as ', h('strong', {}, account));
  const link =
    account === undefined
      ? signInLink(config, 'Sign in')
      : h('a', { href: `${config.base}/user/logout` }, 'Sign out');
  replaceChildren(byId('account'), typeof text === 'string' ? h('span', {}, text) : text, link);
}

/** A link that comes back to where it was followed. */
export function signInLink({ base }: ExplorerConfig, text: string, target?: '_blank'): HTMLElement {
  const link = h('a', { href: address(), ...(target && { target }) }, text);
  // What is open may have changed since the link was made.
  link.addEventListener('click', () => {
    link.href = address();
  });
  return link;

  function address(): string {
    const here = location.pathname + location.search + location.hash;
    return `${base}/user/login?destination=${encodeURIComponent(here)}`;
  }
}
