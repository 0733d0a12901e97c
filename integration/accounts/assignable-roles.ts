import { ANONYMOUS_ROLE, AUTHENTICATED_ROLE, BUILT_IN_ROLES, type Roles } from '../access/role.ts';
import { closestName } from '../util/closest-name.ts';
import { AccountInputError } from './account.ts';

/** The roles that accounts of a site can have: the built-in ones and those of option `roles`. */
export function assignableRoles(roles: Roles): readonly string[] {
  const names = new Set([...Object.keys(BUILT_IN_ROLES), ...Object.keys(roles)]);
  for (const implied of [ANONYMOUS_ROLE, AUTHENTICATED_ROLE]) names.delete(implied);
  return [...names];
}

/** Throws AccountInputError for a role that the site does not have. */
export function checkAssignable(roles: readonly string[], assignable: readonly string[]): void {
  const unknown = roles.find((role) => !assignable.includes(role));
  if (unknown === undefined) return;
  const near = closestName(unknown, assignable);
  const hint = near === undefined ? `Roles: ${assignable.join(', ')}.` : `Did you mean \`${near}\`?`;
  throw new AccountInputError('roles', `There is no role \`${unknown}\`. ${hint}`);
}
