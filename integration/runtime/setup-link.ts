import type { Auth } from '../accounts/open-auth.ts';
import { errorMessage } from '../util/text.ts';
import type { RuntimeLog, SiteSettings } from './runtime.ts';

/**
 * Prints, where a server has no account at all, the link that leads in once. `place` is what stands before its path:
 * the site's base, with the origin where that is known. Never throws.
 */
export async function announceSetup(
  auth: Auth | undefined,
  { trailingSlash }: Pick<SiteSettings, 'trailingSlash'>,
  place: string,
  log: RuntimeLog,
): Promise<void> {
  try {
    const link = await auth?.setup.createSetupLink();
    if (link === undefined || link === null) return;
    const path = trailingSlash === 'always' ? link.path.replace('?', '/?') : link.path;
    const until = link.expires.toTimeString().slice(0, 5);
    log.warn(`Nobody has an account here yet. Make the first one, until ${until}: ${place}${path}`);
  } catch (error) {
    log.error(errorMessage(error));
  }
}
