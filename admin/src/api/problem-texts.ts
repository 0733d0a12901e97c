import { languageNames, text } from '../texts/texts.ts';
import { RequestError } from './content.ts';
import { type ApiProblem, objectOf } from './document.ts';
import { failureOf } from './failure.ts';
import { titles } from './titles.svelte.ts';

interface Named {
  readonly type: string;
  readonly id: string;
}

/** What the server reported, in the language of the interface and with titles of entities. */
export async function problemsText(error: RequestError): Promise<string> {
  if (error.problems.length === 0) return error.message;
  return (await Promise.all(error.problems.map(problemText))).join(' ');
}

/** Why something failed, for people. */
export async function reasonOf(error: unknown): Promise<string> {
  return error instanceof RequestError ? problemsText(error) : failureOf(error);
}

/** Problems without a code that the admin knows keep the words of the server. */
export async function problemText({ code, detail, title, meta = {} }: ApiProblem): Promise<string> {
  switch (code) {
    case 'is-referenced': {
      const entity = namedIn(meta.entity);
      const referrers = referrersIn({ code, meta });
      await titles.read([...entity, ...referrers]);
      const [name = ''] = entity.map((each) => titles.of(each));
      const list = [...new Set(referrers.map((each) => text('error.quoted', { title: titles.of(each) })))];
      if (meta.others === true) list.push(text('error.others'));
      return text('error.isReferenced', { title: name, referrers: list.join(', ') });
    }
    case 'has-translations':
      return text('error.hasTranslations', { languages: languageNames(listOf(meta.languages).map(String)) });
    case 'alias-taken': {
      const [other] = namedIn(meta);
      if (other === undefined) return detail;
      await titles.read([other]);
      return text('error.aliasTaken', { title: titles.of(other), alias: String(meta.alias) });
    }
    case 'file-exists':
      return text('error.fileExists', { title: String(meta.title) });
    case 'template-exists':
      return text('error.templateExists');
    case 'redirect-exists':
      return text('error.redirectExists');
    case 'redirect-hidden':
      return text('error.redirectHidden');
    case 'redirect-loop':
      return text('error.redirectLoop');
    case 'redirect-missing':
      return text('error.redirectMissing');
    case 'redirects-unreadable':
      return text('error.redirectsUnreadable');
    case 'deleted':
      return text('error.deleted');
    case 'ends-before-it-begins':
      return text('error.endsBeforeItBegins');
    default:
      return detail || title;
  }
}

function referrersIn({ code, meta = {} }: Pick<ApiProblem, 'code' | 'meta'>): readonly Named[] {
  if (code !== 'is-referenced') return [];
  const all = listOf(meta.referrers).flatMap(namedIn);
  return [...new Map(all.map((each) => [`${each.type}/${each.id}`, each])).values()];
}

function namedIn(value: unknown): readonly Named[] {
  const { type, id } = objectOf(value);
  return typeof type === 'string' && typeof id === 'string' ? [{ type, id }] : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
