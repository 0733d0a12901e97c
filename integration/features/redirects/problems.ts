import { isPublishedAt } from '../../core/access/schedule.ts';
import { aliasOf } from '../../core/content/decode/alias.ts';
import type { Entity } from '../../core/content/model.ts';
import type { Reader } from '../../core/read/reader.ts';
import { type Diagnostic, problem } from '../../core/source/diagnostic.ts';
import { createLocator } from '../../core/source/read-data.ts';
import { MAX_STEPS } from './find-redirect.ts';
import { addressesOf } from './follow-changes.ts';
import { pathOf, type Redirect, type RedirectFile } from './redirect-file.ts';
import { REDIRECTS_FILE } from './routes.ts';

/**
 * Why a redirect leads nowhere: in a circle, to an entry that does not exist or that visitors do not see, or not at all, because
 * a page is at its address.
 */
export type RedirectProblem = 'loop' | 'missing' | 'unpublished' | 'hidden';

type Content = Pick<Reader, 'store' | 'settings'>;

/** Finds the problem of each redirect. */
export function createProblemFinder(
  { store, settings }: Content,
  { redirects }: RedirectFile,
  now = Date.now(),
): (redirect: Redirect) => RedirectProblem | undefined {
  const holders = new Map<string, Entity>();
  const published = new Set<string>();
  for (const type of store.types.values()) {
    for (const entity of store.entities(type.name)) {
      if (!isPublishedAt(entity, now)) continue;
      published.add(`${type.name}/${entity.id}`);
      if (aliasOf(entity) === null) continue;
      for (const address of addressesOf(entity, store, settings)) holders.set(address, entity);
    }
  }
  return ({ from, target }) => {
    if (holders.has(from)) return 'hidden';
    const passed = new Set([from]);
    let next: Redirect['target'] | undefined = target;
    while (next !== undefined) {
      if (next.kind === 'entity') {
        if (store.get(next.type, next.id) === undefined) return 'missing';
        return published.has(`${next.type}/${next.id}`) ? undefined : 'unpublished';
      }
      const path = pathOf(next);
      if (path === undefined || holders.has(path)) return undefined;
      if (passed.has(path) || passed.size >= MAX_STEPS) return 'loop';
      passed.add(path);
      next = redirects.get(path)?.target;
    }
    return undefined;
  };
}

/** The problems of the file, for `check`. */
export function redirectProblems(content: Content, file: RedirectFile): readonly Diagnostic[] {
  const problemOf = createProblemFinder(content, file);
  const locate = createLocator(file.text, 'yaml');
  const found = [...file.redirects.values()].flatMap((redirect) => {
    const kind = problemOf(redirect);
    if (kind === undefined) return [];
    const [message, hint] = TEXTS[kind](redirect);
    const position = locate([redirect.from], 'key');
    return [{ ...problem('warning', `redirect/${kind}`, message, hint, position), key: REDIRECTS_FILE }];
  });
  return [...file.problems, ...found];
}

const TEXTS: Readonly<Record<RedirectProblem, (redirect: Redirect) => readonly [string, string]>> = {
  loop: ({ from }) => [
    `The redirect from \`${from}\` leads back to itself, or over more than ${MAX_STEPS} others.`,
    'Change its target.',
  ],
  missing: ({ from, to }) => [
    `The redirect from \`${from}\` leads to \`${to}\`, which does not exist.`,
    'Correct the target, or remove the line.',
  ],
  unpublished: ({ from, to }) => [
    `The redirect from \`${from}\` leads to \`${to}\`, which visitors do not see.`,
    'Publish the entry, or change the target of the redirect.',
  ],
  hidden: ({ from }) => [
    `The redirect from \`${from}\` is not used, because a page has this address.`,
    'Remove the line, or change the address of the page.',
  ],
};
