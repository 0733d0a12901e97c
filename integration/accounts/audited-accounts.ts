import type { AccountStore } from './accounts.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';

/** Records each change of the accounts when it is stored. */
export function withAudit(store: AccountStore, audit: AuditLog, by: AuditEntry['by']): AccountStore {
  const record = (event: AuditEntry['event'], account: string, detail?: string) =>
    audit.record({ event, result: 'succeeded', account, by, detail });
  return {
    ...store,
    async add(input) {
      const account = await store.add(input);
      await record('account added', account.name, account.roles.join(', '));
      return account;
    },
    async remove(name) {
      await store.remove(name);
      await record('account removed', name);
    },
    async setPassword(name, password) {
      await store.setPassword(name, password);
      await record(password === undefined ? 'password removed' : 'password changed', name);
    },
    async setRoles(name, change) {
      const account = await store.setRoles(name, change);
      await record('roles changed', account.name, account.roles.join(', '));
      return account;
    },
    async setBlocked(name, blocked) {
      await store.setBlocked(name, blocked);
      await record(blocked ? 'account blocked' : 'account unblocked', name);
    },
    async addToken(name, input) {
      const added = await store.addToken(name, input);
      await record('token added', name, `${added.token.id} ${added.token.scope}`);
      return added;
    },
    async removeToken(name, id) {
      await store.removeToken(name, id);
      await record('token revoked', name, id);
    },
    async addClient(name, input) {
      const added = await store.addClient(name, input);
      await record('client added', name, `${added.client.id} ${added.client.scope}`);
      return added;
    },
    async removeClient(name, id) {
      await store.removeClient(name, id);
      await record('client revoked', name, id);
    },
  };
}
