import path from 'node:path';
import { parse } from 'yaml';
import { addAccounts } from '../support/accounts.ts';
import { createFolder, type Folder, type Running, serving } from './cli.ts';

const SCHEMA = `import { defineSchema, reference, z } from 'astro-jsonapi/schema';
export default defineSchema({
  article: { field_tags: z.array(reference('tag')).default([]), field_words: z.array(z.string()).default([]) },
  tag: {},
});
`;

/** A plain content folder with an account that may write. */
export interface WritingFolder extends Folder {
  /** The `Authorization` header of the account. */
  readonly authorization: string;
  /** A separate server process. */
  serve(env?: Readonly<Record<string, string>>): Promise<Running>;
}

/** Articles and tags; one tag for each item of `tags`. */
export async function writingFolder(
  tags: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<WritingFolder> {
  const folder = createFolder({ 'content/schema.ts': SCHEMA, ...files });
  folder.write(Object.fromEntries(tags.map((tag) => [`content/tag/${tag}.md`, `---\ntitle: ${tag}\n---\n`])));
  const { deploy } = await addAccounts(folder.file('private/accounts.json'), {
    deploy: { roles: ['editor'] },
  });
  return {
    ...folder,
    authorization: `Bearer ${deploy}`,
    serve: (env) =>
      serving(
        folder.dir,
        ['--port', '0', '--write', '--accounts', path.join('private', 'accounts.json')],
        env,
      ),
  };
}

/** Frontmatter and body of a file, read without our code. Throws for an incomplete file. */
export function partsOf(text: string): { readonly data: Record<string, unknown>; readonly body: string } {
  const [, yaml, body] = /^---\n(.*?\n)---\n(.*)$/s.exec(text) ?? [];
  const data: unknown = parse(yaml ?? '');
  if (body === undefined || typeof data !== 'object' || data === null)
    throw new Error(`The file is incomplete:\n${text}`);
  return { data: { ...data }, body };
}
