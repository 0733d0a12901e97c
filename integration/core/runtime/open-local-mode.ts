import { digestText } from '../util/revision.ts';
import { randomSecret } from '../util/secret.ts';
import { createLocalMode, type LocalMode } from './local-mode.ts';
import { runGit } from './run-git.ts';
import type { SiteSettings } from './site.ts';

/** The local author has the name and the mail address that git writes into commits. */
export async function openLocalMode({
  root,
  contentDir,
  base,
}: Pick<SiteSettings, 'root' | 'contentDir' | 'base'>): Promise<LocalMode> {
  const setting = async (name: string) => (await runGit(contentDir, ['config', name]).catch(() => '')).trim();
  const [name, mail] = [await setting('user.name'), await setting('user.email')];
  const site = digestText(root).slice(0, 8);
  return createLocalMode({ secret: LOCAL_SECRET, name, mail: mail || undefined, base, site });
}

const LOCAL_SECRET = randomSecret('');
