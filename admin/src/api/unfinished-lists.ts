import { RequestError, type Resource, readList, readResource, resourceIn, sendDocument } from './content.ts';
import { objectOf } from './document.ts';
import type { ApiResponse } from './request.ts';
import { type Shortcomings, shortcomingsIn } from './unfinished.ts';

/** An entry that does not pass the schema yet. */
export interface StoredDraft {
  readonly type: string;
  /** For a translation, the id of its entry. */
  readonly id: string;
  /** The language of a translation; undefined for a source. */
  readonly language: string | undefined;
  readonly title: string;
  /** Name of the account; empty if it is not known. */
  readonly author: string;
  /** RFC 3339. */
  readonly changed: string;
  readonly shortcomings: Shortcomings;
  /** True for unfinished changes of a stored entry. */
  readonly changesEntry: boolean;
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
    const { type, id, translation } = objectOf(attributes.resource);
    const { title, author, changed } = attributes;
    return {
      type: String(type),
      id: String(id),
      language: typeof translation === 'string' ? translation : undefined,
      title: typeof title === 'string' && title !== '' ? title : String(id),
      author: typeof author === 'string' ? author : '',
      changed: String(changed),
      shortcomings: shortcomingsIn(attributes),
      changesEntry: attributes.changes_entry === true,
    };
  });
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
