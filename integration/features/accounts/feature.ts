import type { Feature } from '../../core/runtime/site.ts';
import { ACCOUNT_OPTIONS } from './options.ts';
import { ACCOUNT_ROUTES } from './routes.ts';

/** Accounts, their tokens, and signing in. */
export const accounts: Feature = {
  name: 'accounts',
  options: ACCOUNT_OPTIONS,
  routes: ACCOUNT_ROUTES,
  open: async (runtime) => (await import('./open-accounts.ts')).openAccounts(runtime),
  tooling: async () => (await import('./tooling.ts')).tooling,
  describe: async () => [
    (await import('./describe-accounts.ts')).describeAccounts,
    (await import('./describe-sign-in.ts')).describeSignIn,
  ],
};
