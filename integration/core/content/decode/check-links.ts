import { linksTo } from '../../source/body-images.ts';
import type { ProblemList } from '../../source/diagnostic.ts';
import { resolveKey } from '../../storage/key.ts';
import { bodyPosition, type ContentFile } from '../content-file.ts';
import type { CollectorState } from '../content-state.ts';
import { bodyText, type Reference } from '../model.ts';
import { entityId } from '../owner.ts';

/** Reports links of a body to Markdown files that the content does not have. */
export function checkLinks(
  file: ContentFile,
  siblings: Pick<ReadonlySet<string>, 'has'>,
  state: CollectorState,
  list: ProblemList,
): void {
  const missing = new Map<string, Reference>();
  for (const path of file.links) {
    const key = resolveKey(file.key, path);
    if (key === undefined || siblings.has(key)) continue;
    const target = missingEntity(key, state);
    if (target !== undefined) missing.set(path, target);
  }
  if (missing.size === 0 || file.body === null) return;
  for (const [path, offset] of linksTo(new Set(missing.keys()), bodyText(file.body))) {
    list.add(
      {
        ...{ severity: 'warning', code: 'body/link-missing', missing: missing.get(path), path: ['body'] },
        message: `There is no file \`${path}\`.`,
        hint: 'Links are relative to the file.',
      },
      () => bodyPosition(file, offset),
    );
  }
}

/** The entity of a file that does not exist. Undefined for other files: they are not content, and may be anywhere. */
function missingEntity(key: string, { index, readKey, languages }: CollectorState): Reference | undefined {
  const role = readKey(key);
  if (role.role !== 'entity') return undefined;
  const { type, pathId } = role;
  const bundle = index.bundles.get(type);
  const isTranslated = languages !== undefined && bundle?.paths.owners.has(pathId) === true;
  return isTranslated || bundle?.keys.has(key) === true ? undefined : { type, id: entityId(type, pathId) };
}
