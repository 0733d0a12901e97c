import { RequestError, type Resource, readList, sendDocument } from './content.ts';
import { type ApiProblem, objectOf } from './document.ts';
import type { ApiResponse } from './request.ts';
import type { Bundle } from './schema.ts';

export interface Shortcomings {
  /** Names of required fields without a value. */
  readonly missing: readonly string[];
  /** Names of fields with other errors. */
  readonly invalid: readonly string[];
  /** True for the draft of a translation whose source was deleted. */
  readonly isSourceMissing: boolean;
  /** True for the unfinished changes of an entry that was deleted. */
  readonly isEntryDeleted: boolean;
}

/** What a draft, or a file with errors, lacks; undefined for an entry without errors. */
export function shortcomingsOf({ meta }: Pick<Resource, 'meta'>): Shortcomings | undefined {
  const found = meta.draft ?? meta.faulty;
  return found === undefined ? undefined : shortcomingsIn(objectOf(found));
}

export function shortcomingsIn({ missing, problems }: Readonly<Record<string, unknown>>): Shortcomings {
  const all = (Array.isArray(problems) ? problems : []).map((problem) => objectOf(problem));
  const fields = all.map(({ field }) => field);
  return {
    missing: Array.isArray(missing) ? missing.map(String) : [],
    invalid: [...new Set(fields.filter((field) => typeof field === 'string'))],
    isSourceMissing: all.some(({ code }) => code === 'draft/source-missing'),
    isEntryDeleted: all.some(({ code }) => code === 'draft/entry-deleted'),
  };
}

/** The errors of fields in a file, as an answer to a change would have them. */
export function problemsIn({ meta }: Pick<Resource, 'meta'>): readonly { field: string; detail: string }[] {
  const { problems } = objectOf(meta.draft ?? meta.faulty);
  return (Array.isArray(problems) ? problems : []).flatMap((problem) => {
    const { field, detail } = objectOf(problem);
    return typeof field === 'string' ? [{ field, detail: String(detail) }] : [];
  });
}

/** The address of a draft, or of the fields of a file with errors. */
export function unfinishedPath(
  { name }: Pick<Bundle, 'name'>,
  {
    id,
    language,
    faulty,
  }: {
    readonly id?: string | undefined;
    /** Of the draft of a translation. */
    readonly language?: string | undefined;
    readonly faulty?: string | undefined;
  },
  query: Readonly<Record<string, string>>,
): string {
  const segments =
    faulty === undefined
      ? ['_drafts', ...(id === undefined ? [] : [name, ...id.split('/')])]
      : ['_faulty', ...faulty.split('/')];
  const isTranslation = faulty === undefined && language !== undefined;
  const search = new URLSearchParams({ ...query, ...(isTranslation && { langCode: language }) }).toString();
  return `/${segments.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** True if the resource is the unfinished changes of a stored entry. */
export function changesEntry({ meta }: Pick<Resource, 'meta'>): boolean {
  return objectOf(meta.draft).changes_entry === true;
}

/** True if an entry, or its translation, has unfinished changes. False if the server does not report it. */
export async function hasUnfinishedChanges(type: string, id: string, language: string | undefined) {
  try {
    const query = new URLSearchParams({ 'filter[type]': type, 'filter[id]': id });
    const { items } = await readList(`/_drafts?${query}`);
    return items.some(
      ({ attributes }) =>
        attributes.changes_entry === true &&
        (objectOf(attributes.resource).translation ?? undefined) === language,
    );
  } catch (error) {
    if (error instanceof RequestError) return false;
    throw error;
  }
}

/**
 * Creates or changes an entry. A new entry that the schema refuses is stored as a draft at `draftPath`, and so are changes that empty
 * required fields. Other errors of changes are for the form, which shows them at their inputs. Throws RequestError.
 */
export async function sendEntry(
  method: 'POST' | 'PATCH',
  path: string,
  draftPath: string | undefined,
  document: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<ApiResponse> {
  try {
    return await sendDocument(method, path, document, headers);
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 422 || draftPath === undefined) throw error;
    const { problems } = error;
    const isIncomplete = method === 'POST' ? problems.some(isOfSchema) : problems.every(isEmptyField);
    if (!isIncomplete) throw error;
    return sendDocument('POST', draftPath, document, headers);
  }
}

/** True for a field, but not for a part of one. */
function isEmptyField({ code, source }: ApiProblem): boolean {
  return code === 'field-required' && /^\/data\/\w+\/[^/]+$/.test(source.pointer ?? '');
}

function isOfSchema({ code }: ApiProblem): boolean {
  return code === 'field-required' || code === 'field-invalid' || code === 'schema-failed';
}
