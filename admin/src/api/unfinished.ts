import { RequestError, type Resource, readList, readResource, resourceIn, sendDocument } from './content.ts';
import { type ApiProblem, objectOf } from './document.ts';
import type { ApiResponse } from './request.ts';
import type { Bundle } from './schema.ts';

/** An entry that does not pass the schema yet. */
export interface StoredDraft {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  /** Name of the account; empty if it is not known. */
  readonly author: string;
  /** RFC 3339. */
  readonly changed: string;
  readonly shortcomings: Shortcomings;
}

export interface Shortcomings {
  /** Names of required fields without a value. */
  readonly missing: readonly string[];
  /** Names of fields with other errors. */
  readonly invalid: readonly string[];
}

/** A file of content with errors. */
export interface FaultyFile {
  /** The path in the content folder. */
  readonly file: string;
  readonly title: string;
  readonly type: string;
  /** Undefined if the file cannot be read. */
  readonly id: string | undefined;
  readonly language: string | undefined;
  readonly hasFields: boolean;
  readonly problems: readonly SourceProblem[];
  readonly revision: string;
  /** The text; empty in lists. */
  readonly source: string;
}

/** An error at a place of a text. */
export interface SourceProblem {
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** The drafts of a type, or all, the latest change first. None if the server has no drafts. Throws RequestError. */
export async function readDrafts(type?: string): Promise<readonly StoredDraft[]> {
  const items = await readIfThere(`/_drafts${typeQuery(type)}`);
  return items.map(({ attributes }) => {
    const { type, id } = objectOf(attributes.resource);
    const { title, author, changed } = attributes;
    return {
      type: String(type),
      id: String(id),
      title: typeof title === 'string' && title !== '' ? title : String(id),
      author: typeof author === 'string' ? author : '',
      changed: String(changed),
      shortcomings: shortcomingsIn(attributes),
    };
  });
}

/** What a draft, or a file with errors, lacks; undefined for an entry without errors. */
export function shortcomingsOf({ meta }: Pick<Resource, 'meta'>): Shortcomings | undefined {
  const found = meta.draft ?? meta.faulty;
  return found === undefined ? undefined : shortcomingsIn(objectOf(found));
}

function shortcomingsIn({ missing, problems }: Readonly<Record<string, unknown>>): Shortcomings {
  const fields = (Array.isArray(problems) ? problems : []).map((problem) => objectOf(problem).field);
  return {
    missing: Array.isArray(missing) ? missing.map(String) : [],
    invalid: [...new Set(fields.filter((field) => typeof field === 'string'))],
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
  { id, faulty }: { readonly id?: string | undefined; readonly faulty?: string | undefined },
  query: Readonly<Record<string, string>>,
): string {
  const segments =
    faulty === undefined
      ? ['_drafts', ...(id === undefined ? [] : [name, ...id.split('/')])]
      : ['_faulty', ...faulty.split('/')];
  const search = new URLSearchParams(query).toString();
  return `/${segments.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/**
 * Creates an entry. If the schema refuses it, it is stored as a draft at `draftPath`. Throws RequestError.
 */
export async function createEntry(
  path: string,
  draftPath: string | undefined,
  document: unknown,
): Promise<ApiResponse> {
  try {
    return await sendDocument('POST', path, document);
  } catch (error) {
    const isIncomplete =
      error instanceof RequestError && error.status === 422 && error.problems.some(isOfSchema);
    if (!isIncomplete || draftPath === undefined) throw error;
    return sendDocument('POST', draftPath, document);
  }
}

function isOfSchema({ code }: ApiProblem): boolean {
  return code === 'field-required' || code === 'field-invalid' || code === 'schema-failed';
}

/** The files with errors that the account may correct. Throws RequestError. */
export async function readFaultyFiles(type?: string): Promise<readonly FaultyFile[]> {
  return (await readIfThere(`/_sources${typeQuery(type)}`)).map(fileOf);
}

/** A file with errors, with its text. Throws RequestError. */
export async function readFaultyFile(file: string): Promise<FaultyFile> {
  return fileOf(await readResource(sourcePath(file)));
}

/** Replaces the text of a file. Returns it as it is stored. Throws RequestError. */
export async function saveSource(
  { file, revision }: FaultyFile,
  source: string,
): Promise<{ readonly saved: FaultyFile; readonly response: ApiResponse }> {
  const document = { data: { type: 'source', id: file, attributes: { source } } };
  const response = await sendDocument('PATCH', sourcePath(file), document, { 'If-Match': `"${revision}"` });
  return { saved: fileOf(resourceIn(response)), response };
}

function sourcePath(file: string): string {
  return `/_sources/${file.split('/').map(encodeURIComponent).join('/')}`;
}

function fileOf({ id: file, attributes, meta }: Resource): FaultyFile {
  const { title, resource, has_fields: hasFields, problems, source } = attributes;
  const { type, id, translation } = objectOf(resource);
  return {
    file,
    title: typeof title === 'string' && title !== '' ? title : file,
    type: String(type),
    id: typeof id === 'string' ? id : undefined,
    language: typeof translation === 'string' ? translation : undefined,
    hasFields: hasFields === true,
    problems: (Array.isArray(problems) ? problems : []).map(objectOf).map(sourceProblem),
    revision: String(meta.revision),
    source: typeof source === 'string' ? source : '',
  };
}

function sourceProblem({
  line,
  column,
  code,
  message,
  hint,
}: Readonly<Record<string, unknown>>): SourceProblem {
  return {
    line: Number(line),
    column: Number(column),
    code: String(code),
    message: String(message),
    hint: typeof hint === 'string' ? hint : '',
  };
}

async function readIfThere(path: string): Promise<readonly Resource[]> {
  try {
    return (await readList(path)).items;
  } catch (error) {
    // A package without this feature has no such address.
    if (error instanceof RequestError && error.status === 404) return [];
    throw error;
  }
}

function typeQuery(type: string | undefined): string {
  return type === undefined ? '' : `?${new URLSearchParams({ 'filter[type]': type })}`;
}
