import { type Limits, optionNote } from '../engine/limits.ts';
import { createAllowances } from '../util/allowances.ts';
import { DomainError, TooManyRequestsError } from '../util/errors.ts';
import type { ContentWriter, Writer } from './writer.ts';

export interface WriteLimitsDeps {
  readonly limits: Pick<Limits, 'writesPerMinute'>;
  /** Milliseconds. */
  now(): number;
}

/**
 * Limits the changes of each account. All requests without an account share one limit. The counts are kept in
 * memory, for one server process. Throws TooManyRequestsError, which names the option.
 */
export function withWriteLimits(writer: ContentWriter, { limits, now }: WriteLimitsDeps): ContentWriter {
  const { writesPerMinute } = limits;
  const writes = createAllowances({ burst: writesPerMinute, seconds: 60 / writesPerMinute }, now);

  function countWrites({ actor }: Writer, count: number): void {
    const account = actor.name ?? '';
    if (count > writesPerMinute) {
      const detail = `A request may change content ${writesPerMinute} times at most, not ${count}${optionNote('writesPerMinute')}.`;
      throw new DomainError('too-large', detail);
    }
    const seconds = writes.wait(account, count);
    if (seconds > 0)
      throw beyond('writesPerMinute', `change content ${writesPerMinute} times a minute`, seconds);
    writes.charge(account, count);
  }

  function limited<Rest extends readonly unknown[], Result>(
    command: (by: Writer, ...rest: Rest) => Promise<Result>,
  ): (by: Writer, ...rest: Rest) => Promise<Result> {
    return async (by, ...rest) => {
      countWrites(by, 1);
      return command(by, ...rest);
    };
  }

  return {
    create: limited(writer.create),
    translate: limited(writer.translate),
    update: limited(writer.update),
    relate: limited(writer.relate),
    remove: limited(writer.remove),
    async perform(by, operations) {
      countWrites(by, operations.length);
      return writer.perform(by, operations);
    },
    async preview(by, operations) {
      countWrites(by, operations.length);
      return writer.preview(by, operations);
    },
    // The preview follows the keys of an editor, so it is not counted.
    attempt: writer.attempt,
    async run(by, command) {
      countWrites(by, 1);
      return writer.run(by, command);
    },
  };
}

/** The error for an account that changes more than a limit allows. */
export function beyond(name: keyof Limits, action: string, seconds: number): TooManyRequestsError {
  return new TooManyRequestsError(`An account may ${action}${optionNote(name)}. Try again later.`, seconds);
}
