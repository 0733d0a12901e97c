import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../access/actor.ts';
import type { LanguageOption } from './language-option.ts';

/**
 * The actor whose permissions apply; `'anonymous'`, also for undefined and null; or `'everyone'` for all content, with
 * drafts and hidden fields.
 */
export type As = Actor | 'anonymous' | 'everyone' | null | undefined;

export interface AsOption {
  /** Whose permissions apply. Default: `'anonymous'`. */
  readonly as?: As;
}

/** Throws an Error for any other value. */
export function actorOf({ as }: AsOption): Actor {
  if (as === undefined || as === null || as === 'anonymous') return ANONYMOUS;
  if (as === 'everyone') return ADMINISTRATOR;
  if (isActor(as)) return { name: as.name, roles: as.roles };
  throw new Error(
    `as: ${JSON.stringify(as)} is not valid. Write 'anonymous', 'everyone' or an actor: { name, roles } with a string (null for anonymous) and an array of role names, such as { name: 'ada', roles: ['administrator'] }.`,
  );
}

/** Throws an Error that names the first option that `call` does not have. */
export function checkOptionNames(options: object, call: string, names: readonly string[] = ['as']): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const hint = REPLACED[unknown] ?? `Options: ${names.join(', ')}.`;
  throw new Error(`${call}: unknown option "${unknown}". ${hint}`);
}

const REPLACED: Readonly<Record<string, string | undefined>> = {
  access: "Write { as: 'everyone' } or { as: 'anonymous' }.",
  actor: 'Write { as: actor }.',
};

/** Options as code: `, { as: 'everyone', lang: 'de' }`; empty for the defaults. */
export function optionsCode({ as, lang, fallback }: AsOption & LanguageOption): string {
  const isAnonymous = as === undefined || as === null || as === 'anonymous';
  const options = [
    ...(isAnonymous ? [] : [as === 'everyone' ? "as: 'everyone'" : 'as: actor']),
    ...(lang === undefined ? [] : [`lang: '${lang}'`]),
    ...(fallback === true ? ['fallback: true'] : []),
  ];
  return options.length === 0 ? '' : `, { ${options.join(', ')} }`;
}

// A session's user of another shape must not pass as an actor without roles.
function isActor(as: unknown): as is Actor {
  if (typeof as !== 'object' || as === null || !('name' in as) || !('roles' in as)) return false;
  const { name, roles } = as;
  return (
    (typeof name === 'string' || name === null) &&
    Array.isArray(roles) &&
    roles.every((role) => typeof role === 'string')
  );
}
