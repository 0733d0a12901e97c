import { API, BASE } from './config.ts';
import { objectOf } from './document.ts';
import { send } from './request.ts';

/** The account of the visitor. */
class Session {
  /** The account name, empty if the site does not return it; undefined for a visitor without a session. */
  account = $state<string | undefined>();
  isLoaded = $state(false);

  async refresh(): Promise<void> {
    const status = await send(`${BASE}/user/login_status?_format=json`);
    this.account = status.document === 1 ? await readAccountName() : undefined;
    this.isLoaded = true;
  }
}

export const session = new Session();

/** The sign-in page, which leads back to the current page. */
export function signInUrl(): string {
  const here = location.pathname + location.search + location.hash;
  return `${BASE}/user/login?destination=${encodeURIComponent(here)}`;
}

async function readAccountName(): Promise<string> {
  const { document } = await send(API);
  const links = objectOf(objectOf(objectOf(document).meta).links);
  const { id } = objectOf(objectOf(links.me).meta);
  return typeof id === 'string' ? id : '';
}
