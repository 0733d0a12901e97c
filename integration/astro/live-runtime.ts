import type { ServedRuntime } from '../core/runtime/runtime.ts';

/**
 * Stands for `astro-jsonapi:runtime` where live collections import it. The integration replaces this file; a site without
 * the integration has live collections of other servers only.
 */
export async function runtime(): Promise<ServedRuntime> {
  throw new Error(
    'jsonapiLive() reads the content of this site, which needs jsonapi() among the integrations of astro.config. To read another server, write jsonapiLive({ url }).',
  );
}
