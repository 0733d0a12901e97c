import type { Members } from '../access/members.ts';
import { bodyIn } from '../content/merge-file.ts';
import type { Entity } from '../content/model.ts';
import { editingSettings, type Options } from '../options/options.ts';
import { formatOf } from '../source/formats.ts';
import { isWritable, type StorageDriver } from '../storage/driver.ts';
import { bytesInMemory } from '../storage/stored-bytes.ts';
import { digestBytes } from '../util/revision.ts';
import { errorMessage } from '../util/text.ts';
import { isSafeBody } from '../write/body.ts';
import type { ChangeRecorder, MergedContent, RecorderDeps } from '../write/commits.ts';
import { createContentWriter } from '../write/create-writer.ts';
import { describeCommits } from '../write/describe-commits.ts';
import { personOf } from '../write/person.ts';
import { withWriteLimits } from '../write/write-limits.ts';
import type { ContentWriter, WriterDeps } from '../write/writer.ts';
import type { OpenedFeature } from './site.ts';

export interface OpenWriterDeps {
  readonly options: Pick<Options, 'editing' | 'limits'>;
  readonly isReadOnly: boolean;
  readonly driver: StorageDriver;
  /** The driver with what features show of it. */
  view<D extends StorageDriver>(driver: D): D;
  /** Absolute path of the driver's folder, if changes there can be committed. */
  readonly folder: string | undefined;
  readonly members: Members;
  readonly log: RecorderDeps['log'] & { error(message: string): void };
  readonly features: readonly OpenedFeature[];
  /** The other dependencies of the writer. */
  readonly writing: Omit<WriterDeps, 'driver' | 'options' | 'onBegin'> & {
    readonly collector: RecorderDeps['collector'];
  };
}

export interface OpenedWriter {
  /** Null if content is read-only. The log has the reason. */
  readonly writer: ContentWriter | null;
  /** Set if changes are recorded. */
  readonly recorder?: ChangeRecorder | undefined;
}

/** The writer of a driver. A feature can record its changes. */
export async function openWriter(deps: OpenWriterDeps): Promise<OpenedWriter> {
  const { options, driver, view, folder, log, writing, members, features } = deps;
  if (deps.isReadOnly || !isWritable(driver)) return { writer: null };
  const obstacle = await driver.obstacle();
  if (obstacle !== undefined) {
    log.warn(`Content is read-only: ${obstacle}`);
    return { writer: null };
  }
  const { requireIfMatch, onDelete } = editingSettings(options);
  let recorder: ChangeRecorder | undefined;
  try {
    for (const feature of features) {
      recorder ??= await feature.recordChanges?.({
        ...{ driver, folder, members, log, collector: writing.collector, store: writing.store },
        content: mergedContent(writing, members),
      });
    }
  } catch (error) {
    log.error(`Content is read-only, because ${errorMessage(error)}.`);
    return { writer: null };
  }
  const message = features.find(({ commitMessages }) => commitMessages)?.commitMessages ?? {};
  const writer = createContentWriter({
    ...writing,
    ...(driver.describe && describeCommits({ describe: driver.describe }, message, members)),
    followers: features.flatMap(({ follow }) => follow ?? []),
    ...(recorder && { onBegin: recorder.onBegin, onWritten: recorder.onWritten }),
    driver: view(recorder?.driver ?? driver),
    options: { requireIfMatch, onDelete },
  });
  return { writer: withWriteLimits(writer, { limits: options.limits, now: writing.now }), recorder };
}

/** What merges of files ask about the content. */
function mergedContent({ collector, ...deps }: OpenWriterDeps['writing'], members: Members): MergedContent {
  return {
    async mayWriteCode({ mail }, key) {
      const accounts = (await members.list()).filter((each) => personOf(each.name, each).mail === mail);
      const permission = formatOf(key) === 'mdx' ? 'write mdx' : 'use raw html';
      return accounts.every((account) => deps.reader.access(account).has(permission));
    },
    async isAllowed(key, bytes) {
      const format = formatOf(key);
      // Other files can be code, such as SVG. A list of removed ids has lines of JSON.
      if (format === undefined) return key.endsWith('.jsonl');
      // Only accounts that may write code change MDX, and the other formats have no body.
      if (format !== 'markdown') return true;
      const { entity } = await collector.previewPastVersion(key, bytes, 0);
      return isSafeBody(deps, entity ?? entityWithBody(key, bytes));
    },
    async entityIn(key, bytes) {
      const { entity } = await collector.preview(key, bytes);
      return entity?.translation === undefined ? (entity ?? undefined) : undefined;
    },
  };
}

/** The entity of a file with errors, or of a new bundle. */
function entityWithBody(key: string, bytes: Uint8Array): Entity {
  const text = new TextEncoder().encode(bodyIn(key, bytes) ?? '');
  const file = bytesInMemory(text);
  const body = { file, start: 0, end: text.length, format: 'markdown', summary: null } as const;
  return { type: '', id: '', key, revision: `${digestBytes(text)} body`, values: {}, published: false, body };
}
