import { ACCOUNT_URL, BASE } from './config.ts';
import { objectOf } from './document.ts';
import { type ApiResponse, forgetBegun, isSuccess, send, sendOnce } from './request.ts';

export type Action = 'create' | 'update' | 'delete' | 'publish';

/** How much of a bundle's content an action is allowed for: all, some entities (such as one's own), or none. */
export type Extent = 'all' | 'some' | 'none';

const MAYBE_SIGNED_OUT = [401, 403, 404];

/** The signed-in account, from `/jsonapi/_me`. */
class CurrentAccount {
  name = $state('');
  roles = $state.raw<readonly string[]>([]);
  /** True for the local author of `astro dev`, without an account. */
  isLocal = $state(false);
  managesAccounts = $state(false);
  /** True if bodies in MDX can be changed. */
  writesMdx = $state(false);
  /** True if the server no longer accepts the session. */
  isSignedOut = $state(false);
  #bundles = $state.raw<Readonly<Record<string, unknown>>>({});
  /** Calls of `signedIn` that wait. */
  #waiting: (() => void)[] = [];

  /** Reads the account. Returns what went wrong if it could not be read for another reason than being signed out. */
  async load(): Promise<string | undefined> {
    const response = await sendOnce(ACCOUNT_URL);
    if (response.status === 401) {
      forgetBegun();
      this.isSignedOut = true;
      return undefined;
    }
    if (!isSuccess(response)) return response.failure ?? `${response.status} ${response.statusText}`;
    const { id, attributes, meta } = objectOf(objectOf(response.document).data);
    const { roles, local } = objectOf(attributes);
    const { bundles, manageAccounts, writeMdx } = objectOf(meta);
    const isSameAccount = this.name === '' || this.name === id;
    this.name = String(id ?? '');
    this.roles = Array.isArray(roles) ? roles.map(String) : [];
    this.isLocal = local === true;
    this.managesAccounts = manageAccounts === true;
    this.writesMdx = writeMdx === true;
    this.#bundles = objectOf(bundles);
    this.isSignedOut = false;
    // For another account, the page loads again.
    if (isSameAccount) for (const go of this.#waiting.splice(0)) go();
    return undefined;
  }

  /** Resolves as soon as the server accepts a session of this account. */
  signedIn(): Promise<void> {
    return this.isSignedOut ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** To be called with each response of the API: a session can end at any time, and then requests are anonymous. */
  async follow({ status, headers }: Pick<ApiResponse, 'status' | 'headers'>): Promise<void> {
    if (status === undefined || this.isSignedOut) return;
    const caching = headers.get('cache-control');
    const isAnonymous = status < 400 && caching !== null && !/private|no-store/.test(caching);
    if (isAnonymous || MAYBE_SIGNED_OUT.includes(status)) await this.load();
  }

  /** True for the name of this account. False for the local author, even if an account has this name. */
  owns(name: string): boolean {
    return !this.isLocal && this.name.toLowerCase() === name.toLowerCase();
  }

  /** True for accounts that may create or change some content. Only they use files. */
  get changesContent(): boolean {
    return Object.keys(this.#bundles).some((type) => this.can('create', type) || this.can('update', type));
  }

  /** True for accounts that may replace and delete files, because any content can use a file. */
  get changesAllContent(): boolean {
    const types = Object.keys(this.#bundles);
    return types.length > 0 && types.every((type) => this.extentOf(type, 'update') === 'all');
  }

  /** True for accounts that may delete some content. Only they see deleted entries. */
  get deletesContent(): boolean {
    return Object.keys(this.#bundles).some((type) => this.can('delete', type));
  }

  extentOf(type: string, action: Action): Extent {
    const extent = objectOf(this.#bundles[type])[action];
    if (extent === true || extent === 'all') return 'all';
    return extent === 'some' ? 'some' : 'none';
  }

  /** True if the account may do this to some content of the bundle. The server decides for each entity. */
  can(action: Action, type: string): boolean {
    return this.extentOf(type, action) !== 'none';
  }
}

export const account = new CurrentAccount();

/** Starts a new session. Returns the server's message if that failed. */
export async function signIn(name: string, password: string): Promise<string | undefined> {
  const response = await send(`${BASE}/user/login?_format=json`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, pass: password }),
  });
  if (isSuccess(response)) return account.load();
  const { message } = objectOf(response.document);
  return response.failure ?? String(message ?? response.statusText);
}
