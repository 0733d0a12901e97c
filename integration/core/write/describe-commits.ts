import type { Actor } from '../access/actor.ts';
import type { Members } from '../access/members.ts';
import { languageOf } from '../content/model.ts';
import { shortTypeName } from '../content/resource-type.ts';
import type { WritableDriver } from '../storage/driver.ts';
import { lastSegment } from '../storage/key.ts';
import { type ChangeWords, changeMessage, listMessage } from './commit-message.ts';
import { type Person, personOf } from './person.ts';
import type { ChangedFile, WriterDeps, WrittenEntity } from './writer.ts';

/** Templates of commit messages, in option `editing.git`. */
export interface CommitMessages {
  readonly one?: string | undefined;
  readonly many?: string | undefined;
}

/** The hooks of a writer whose driver commits every change by itself. */
export function describeCommits(
  driver: Required<Pick<WritableDriver, 'describe'>>,
  message: CommitMessages,
  members: Pick<Members, 'find'>,
): Required<Pick<WriterDeps, 'onBegin' | 'onWriting'>> {
  let author: Person | undefined;
  return {
    async onBegin({ actor: { name } }) {
      author = await authorOf(name, members);
    },
    onWriting: (written, { actor }) =>
      driver.describe({ message: commitMessage(message, written, actor), author }),
  };
}

export async function authorOf(name: string | null, members: Pick<Members, 'find'>): Promise<Person> {
  const account = name === null ? undefined : await members.find(name).catch(() => undefined);
  return personOf(name ?? ANONYMOUS, account ?? {});
}

export function commitMessage(
  templates: CommitMessages,
  written: readonly (WrittenEntity | ChangedFile)[],
  { name }: Actor,
): string {
  const account = name ?? ANONYMOUS;
  const messages = written.map((each) => changeMessage(templates.one, { ...messageWords(each), account }));
  return joinMessages(templates, messages, account);
}

/** One message, or a list of several. */
export function joinMessages(
  { many }: CommitMessages,
  [first = '', ...others]: readonly string[],
  account: string,
): string {
  return others.length === 0 ? first : listMessage(many, [first, ...others], account);
}

/** The name of a user without an account, in messages. */
export const ANONYMOUS = 'anonymous';

const ACTIONS = {
  created: 'create',
  updated: 'update',
  unchanged: 'update',
  removed: 'remove',
  uploaded: 'upload',
  replaced: 'update',
  moved: 'move',
  deleted: 'remove',
} as const;

function messageWords(written: WrittenEntity | ChangedFile): Omit<ChangeWords, 'account'> {
  if (isFile(written)) {
    const { change, type, key } = written;
    const title = change === 'moved' ? key : lastSegment(key);
    return { action: ACTIONS[change], type, id: key, title, langcode: '', isTranslation: false };
  }
  const { entity, change } = written;
  const { title } = entity.values;
  return {
    action: ACTIONS[change],
    type: shortTypeName(entity.type),
    id: entity.id,
    title: typeof title === 'string' ? title : entity.id,
    langcode: languageOf(entity),
    isTranslation: entity.translation !== undefined,
  };
}

export function isFile(written: WrittenEntity | ChangedFile): written is ChangedFile {
  return !('entity' in written);
}
