import { compareFields, type FieldDifference } from '../model/compare.ts';
import { layOut, valuesOf } from '../model/entity-form.ts';
import { type Resource, readResource } from './content.ts';
import { readOptions, type Version } from './entity-options.ts';
import { fileQuery } from './file-values.ts';
import { type Bundle, pathTo } from './schema.ts';

export type Differences = ReadonlyMap<string, FieldDifference>;

/**
 * How the text of a source has changed since its translation into a language was last committed, by field. Its publication
 * and the fields that all translations share are not text. Undefined without past versions. Throws RequestError.
 */
export async function readSourceChanges(
  bundle: Bundle,
  source: Resource,
  language: string,
): Promise<Differences | undefined> {
  const pathOf = (query: Readonly<Record<string, string>>) =>
    pathTo(bundle, source.id, { ...fileQuery(bundle), ...query });
  const langCode = String(source.attributes.langcode);
  const [{ versions }, translation] = await Promise.all([
    readOptions(pathOf({ langCode })),
    readOptions(pathOf({ langCode: language })),
  ]);
  const version = versionAt(versions, translation.versions[0]);
  if (version === undefined) return undefined;
  const past = await readResource(pathOf({ langCode, resourceVersion: version.name }));
  const { side } = layOut(bundle.fields);
  const texts = bundle.fields.filter((field) => !field.untranslated && !side.includes(field));
  const differences = compareFields(texts, valuesOf(texts, past), valuesOf(texts, source));
  return new Map(differences.map((difference) => [difference.field.name, difference]));
}

/**
 * The languages whose translations are older than the text of their source, with its changes according to past versions.
 * `marked` are the languages that the server marks: it compares dates of files.
 */
export async function readOutdated(
  bundle: Bundle,
  source: Resource,
  marked: readonly string[],
): Promise<ReadonlyMap<string, Differences>> {
  const all = await Promise.all(
    marked.map(async (language) => {
      // Without versions, the mark alone says that the source has changed.
      const changes = await readSourceChanges(bundle, source, language).catch(() => undefined);
      return [language, changes] as const;
    }),
  );
  return new Map(
    all.flatMap(([language, changes]): (readonly [string, Differences])[] =>
      changes?.size === 0 ? [] : [[language, changes ?? new Map()]],
    ),
  );
}

/** The version of the source when the translation was committed. */
function versionAt(versions: readonly Version[], translation: Version | undefined): Version | undefined {
  if (translation === undefined) return undefined;
  const time = Date.parse(translation.changed);
  return versions.find(({ changed }) => Date.parse(changed) <= time);
}
