import { failureText } from '../texts/problems.ts';
import { languageNames, text, textsOf, uiLanguage } from '../texts/texts.ts';
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
export async function problemText(problem: ApiProblem): Promise<string> {
  const { code, detail, title, meta = {} } = problem;
  switch (code) {
    case 'is-referenced': {
      const entity = namedIn(meta.entity);
      const referrers = referrersIn({ code, meta });
      await titles.read([...entity, ...referrers]);
      const [name = ''] = entity.map((each) => titles.of(each));
      const list = [
        ...new Set(referrers.map((each) => failureText('error.quoted', { title: titles.of(each) }))),
      ];
      if (meta.others === true) list.push(failureText('error.others'));
      return failureText('error.isReferenced', { title: name, referrers: list.join(', ') });
    }
    case 'has-translations':
      return failureText('error.hasTranslations', {
        languages: languageNames(listOf(meta.languages).map(String)),
      });
    case 'alias-taken': {
      const [other] = namedIn(meta);
      if (other === undefined) return detail;
      await titles.read([other]);
      return failureText('error.aliasTaken', { title: titles.of(other), alias: String(meta.alias) });
    }
    case 'file-exists':
      return failureText('error.fileExists', { title: String(meta.title) });
    case 'template-exists':
      return failureText('error.templateExists');
    case 'redirect-exists':
      return failureText('error.redirectExists');
    case 'redirect-hidden':
      return failureText('error.redirectHidden');
    case 'redirect-loop':
      return failureText('error.redirectLoop');
    case 'redirect-missing':
      return failureText('error.redirectMissing');
    case 'redirects-unreadable':
      return failureText('error.redirectsUnreadable');
    case 'draft-entry-deleted':
      return text('draft.entryDeleted');
    case 'deleted':
      return failureText('error.deleted');
    case 'field-required':
    case 'field-invalid':
    case 'schema-failed':
      return schemaText(problem);
    case 'ends-before-it-begins':
      return text('error.endsBeforeItBegins');
    default:
      return detail || title;
  }
}

/**
 * An error of the schema. In English, the words of the server stay. The path in front of them leads to an input of a form. Errors
 * without a field are about one that the account may not see.
 */
function schemaText({ code, detail, source }: ApiProblem): string {
  const [, field] = /\/(?:attributes|relationships)\/([^/]+)/.exec(source.pointer ?? '') ?? [];
  if (uiLanguage() === 'en' || field === undefined) return detail;
  if (code === 'field-required') return schemaTexts('required', { field });
  const [path = ''] = /^`[^`]+`: /.exec(detail) ?? [];
  const reason = detail.slice(path.length);
  return path + schemaTexts(code === 'schema-failed' ? 'failed' : 'invalid', { reason });
}

const schemaTexts = textsOf({
  en: { required: 'The field “{field}” is missing.', invalid: '{reason}', failed: '{reason}' },
  de: {
    required: 'Das Feld „{field}“ fehlt.',
    invalid: 'Dieser Wert passt nicht: {reason}',
    failed: 'Das entspricht nicht den Regeln der Website: {reason}',
  },
  ar: {
    required: 'الحقل «{field}» مفقود.',
    invalid: 'هذه القيمة غير مناسبة: {reason}',
    failed: 'هذا لا يوافق قواعد الموقع: {reason}',
  },
});

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
