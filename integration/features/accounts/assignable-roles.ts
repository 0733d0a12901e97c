import { closestName } from '../../core/util/closest-name.ts';
import { AccountInputError } from './account.ts';

/** Throws AccountInputError for a role that the site does not have. */
export function checkAssignable(roles: readonly string[], assignable: readonly string[]): void {
  const unknown = roles.find((role) => !assignable.includes(role));
  if (unknown === undefined) return;
  const near = closestName(unknown, assignable);
  const hint = near === undefined ? `Roles: ${assignable.join(', ')}.` : `Did you mean \`${near}\`?`;
  throw new AccountInputError('roles', `There is no role \`${unknown}\`. ${hint}`);
}
