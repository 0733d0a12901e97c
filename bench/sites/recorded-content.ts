import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { contentFile, type RecordedEntity, recordedEntities } from '../../test/conformance/load.ts';

/** Replaces a content folder by the recorded content and its schema, with this number of articles. */
export function writeRecordedContent(folder: string, articles: number): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of multiplied(articles).map(contentFile)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const schema = readFileSync(new URL('../../test/conformance/schema.ts', import.meta.url), 'utf8');
  writeFileSync(
    path.join(folder, 'schema.ts'),
    schema.replace('../../integration/schema.ts', 'astro-jsonapi/schema'),
  );
}

/** The recorded content with its articles repeated up to a number, each with its own id. */
function multiplied(size: number): readonly RecordedEntity[] {
  const entities = recordedEntities();
  const articles = entities.filter(({ bundle }) => bundle === 'article');
  const more = Array.from({ length: size }, (_, at): RecordedEntity => {
    const article = articles[at % articles.length];
    if (article === undefined) throw new Error('The recorded content has no articles.');
    const copy = Math.floor(at / articles.length);
    return copy === 0
      ? article
      : { ...article, uuid: `${article.uuid}-${copy}`, title: `${article.title} ${copy}` };
  });
  return [...entities.filter(({ bundle }) => bundle !== 'article'), ...more];
}
