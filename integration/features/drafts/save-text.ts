import { OWNER_FIELD } from '../../core/access/role.ts';
import type { EncodedFile } from '../../core/content/encode/encode-file.ts';
import { bodyText, type Entity, type FieldValue, type ResourceType } from '../../core/content/model.ts';
import { type ParsedFile, type ParseResult, parseFile } from '../../core/content/parse-file.ts';
import type { Preview } from '../../core/content/preview.ts';
import { isError, type Problem } from '../../core/source/diagnostic.ts';
import { formatOf, isDataKey } from '../../core/source/formats.ts';
import { ForbiddenError, InvalidEntityError, NotFoundError, type Violation } from '../../core/util/errors.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { decodeUtf8 } from '../../core/util/text.ts';
import { checkBody } from '../../core/write/body.ts';
import { checkTags } from '../../core/write/preconditions.ts';
import { hiddenFiles } from '../../core/write/save.ts';
import type {
  ErrorPlace,
  Operation,
  OperationContent,
  Preconditions,
  RequestedChanges,
  StagedChange,
} from '../../core/write/writer.ts';
import { entityOfText, mayCorrect } from './faulty-files.ts';

export interface TextChange {
  readonly type: ResourceType;
  readonly key: string;
  readonly when: Preconditions;
}

/** A file as it is when a change of it is made. */
export interface PresentText {
  readonly bytes: Uint8Array;
  readonly preview: Preview;
}

/**
 * Replaces the text of a file with errors. A text without errors has to pass every check of a change of its entity. A text with
 * errors must be an improvement: see `improves`.
 */
export function saveText(
  { type, key, when }: TextChange,
  edit: (
    before: Uint8Array,
    present: PresentText,
    content: OperationContent,
  ) => Promise<EncodedFile> | Uint8Array,
  pointer: ErrorPlace['pointer'] = () => SOURCE_POINTER,
): Operation {
  return {
    async run(content) {
      const { reader, writer, collector, files } = content;
      if (!mayCorrect(writer.access, reader, type))
        throw new ForbiddenError('You may not correct this file.');
      const bytes = await files.read(key);
      if (bytes === undefined) throw new NotFoundError('The file was removed meanwhile.');
      await checkTags(when, 'file', digestBytes(bytes), true);
      const preview = await collector.preview(key, bytes);
      if (!preview.problems.some(isError)) {
        throw new NotFoundError('The file has no errors any more. Change its entry instead.');
      }
      const edited = await edit(bytes, { bytes, preview }, content);
      const after = edited instanceof Uint8Array ? parsed(key, edited) : edited;
      if (after.parsed.digest === digestBytes(bytes)) {
        return { entity: preview.draft ?? entityOfText(type, key, bytes), change: 'unchanged', keys: [] };
      }
      const next = await collector.preview(key, after.bytes, after.parsed);
      const keepsOwner = hasSameOwner({ bytes, preview }, { bytes: after.bytes, preview: next });
      if (!keepsOwner && !writer.access.fieldWritable(type, OWNER_FIELD)) {
        throw new ForbiddenError('You may not change `uid`, the owner.', { pointer: pointer([OWNER_FIELD]) });
      }
      const before = { bytes, preview };
      return next.entity !== null && !next.problems.some(isError)
        ? saveCorrected(content, { type, key, when }, before, after, next.entity, pointer)
        : saveImproved(content, { type, key, when }, before, after, next, pointer);
    },
  };
}

const SOURCE_POINTER = '/data/attributes/source';

function parsed(key: string, bytes: Uint8Array): EncodedFile {
  const format = formatOf(key);
  if (format === undefined) throw new NotFoundError(`The file ${key} is not a file of content.`);
  return { bytes, parsed: parseFile(bytes, format, digestBytes(bytes)) };
}

/** The text has no errors: the checks are those of a change of all fields. */
async function saveCorrected(
  { reader, writer, commands, ledger }: OperationContent,
  { type, key }: TextChange,
  { bytes, preview }: PresentText,
  after: EncodedFile,
  next: Entity,
  pointer: ErrorPlace['pointer'],
): Promise<StagedChange> {
  // The last version without errors, if this server has read one.
  const former = reader.store.get(next.type, next.id, next.translation);
  const isServed = former?.key === key;
  const base = isServed
    ? former
    : { ...next, ...(preview.draft ?? { body: entityOfText(type, key, bytes).body }) };
  const entity = {
    ...base,
    id: next.id,
    revision: digestBytes(bytes),
    body: bodyBefore(type, key, bytes, preview),
  };
  const requested = { ...NOTHING, changes: valuesOf(next), pointer };
  const saved = await commands.save(writer, { type, key, current: { entity, bytes } }, requested, after);
  if (!isServed && next.translation === undefined) await ledger.drop(next.type, next.id);
  return saved;
}

function bodyBefore(type: ResourceType, key: string, bytes: Uint8Array, { draft }: Preview): Entity['body'] {
  return draft === undefined ? entityOfText(type, key, bytes).body : draft.body;
}

/** The text still has errors. Its readable fields are checked now, because other people may correct the rest. */
async function saveImproved(
  { reader, writer, files }: OperationContent,
  { type, key }: TextChange,
  { bytes, preview }: PresentText,
  after: EncodedFile,
  next: Preview,
  pointer: ErrorPlace['pointer'],
): Promise<StagedChange> {
  const stored = parsed(key, bytes).parsed;
  if (losesFields(stored, after.parsed)) throw new InvalidEntityError([fieldsMissing(key, pointer)]);
  const isWorse = stored.parsed !== undefined && after.parsed.parsed === undefined;
  if (isWorse || !improves(preview, next)) {
    throw new InvalidEntityError(violationsOf(next.problems, pointer));
  }
  const before = { ...entityOfText(type, key, bytes), ...preview.draft };
  const entity = { ...entityOfText(type, key, after.bytes), ...next.draft };
  const requested: RequestedChanges = { ...NOTHING, changes: valuesOf(entity), pointer };
  const check = checkBody(writer, requested.changes, before, requested);
  const current = { entity: before, bytes };
  const [first, ...others] = await hiddenFiles(reader, writer.access, { type, key, current }, requested);
  if (first !== undefined) throw new InvalidEntityError([first, ...others]);
  await files.write(key, after.bytes, { ifRevision: digestBytes(bytes) });
  return {
    entity,
    change: 'updated',
    keys: [key],
    ...(check !== 'none' && { body: { check, input: requested, stored: before } }),
  };
}

const NOTHING = { violations: [], missing: [], faulty: new Set<string>() };

/** The values of an entity as changes. */
function valuesOf({ values, body }: Entity): Readonly<Record<string, FieldValue>> {
  if (body === null) return values;
  const { format, summary } = body;
  return { ...values, body: { value: bodyText(body), format, summary } };
}

/** Compares the owners in two versions of a file: of one that cannot be read, the lines that may be about the owner. */
function hasSameOwner(before: PresentText, after: PresentText): boolean {
  const [former, next] = [ownerIn(before.preview), ownerIn(after.preview)];
  if (former !== undefined && next !== undefined) return former === next;
  const lines = ownerLines(before.bytes);
  const isNamed = typeof next !== 'string' || lines.some((line) => line.includes(next));
  return isNamed && lines.join('\n') === ownerLines(after.bytes).join('\n');
}

function ownerIn({ entity, draft }: Preview): FieldValue | undefined {
  const readable = entity ?? draft;
  return readable && (readable.values[OWNER_FIELD] ?? null);
}

function ownerLines(bytes: Uint8Array): readonly string[] {
  const lines = (decodeUtf8(bytes) ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => /\buid\b/.test(line));
}

/**
 * True if a text may be stored although it has errors: fields that could not be read can be read now, or it has no more errors
 * than before. Errors of fields are only found once the file as a whole can be read.
 */
function improves(before: Preview, after: Preview): boolean {
  const isReadable = ({ draft, entity }: Preview) => draft !== undefined || entity !== null;
  if (isReadable(before) !== isReadable(after)) return isReadable(after);
  return after.problems.filter(isError).length <= before.problems.filter(isError).length;
}

/** True if a text without any field would replace one with fields, or with frontmatter that cannot be read. */
function losesFields({ parsed: before }: ParseResult, { parsed: after }: ParseResult): boolean {
  const isEmpty = ({ data }: ParsedFile) => Object.keys(data).length === 0;
  return after !== undefined && isEmpty(after) && (before === undefined || !isEmpty(before));
}

function fieldsMissing(key: string, pointer: ErrorPlace['pointer']): Violation {
  const detail = isDataKey(key)
    ? 'Line 1: The fields are missing.'
    : 'Line 1: The frontmatter is missing. Write it between two lines of `---`.';
  return { detail, source: { pointer: pointer([]) }, meta: { line: 1, column: 1 } };
}

function violationsOf(
  problems: readonly Problem[],
  pointer: ErrorPlace['pointer'],
): readonly [Violation, ...Violation[]] {
  const [first, ...others] = problems.filter(isError).map(({ message, hint, line, column, path = [] }) => ({
    detail: `Line ${line}: ${message}${hint === undefined ? '' : ` ${hint}`}`,
    source: { pointer: pointer(path) },
    meta: { line, column },
  }));
  if (first === undefined) throw new Error('The text has no errors.');
  return [first, ...others];
}
