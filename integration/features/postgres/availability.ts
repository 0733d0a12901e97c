import type { Environment } from '../../core/options/fields.ts';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import { errorMessage } from '../../core/util/text.ts';
import { databaseUrl } from './options.ts';

/** Logs once that the database is lost, and once that it is back. */
export interface Availability {
  /** Runs a task. Throws ServiceUnavailableError if the database cannot be reached, or takes too long. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export interface AvailabilityLog {
  info(message: string): void;
  error(message: string): void;
}

const reported = new Set<string>();

/** The address of a database for an option. Without one, throws ServiceUnavailableError, so responses are a 503. Logs it once. */
export function addressOf(option: string, url: string, environment: Environment, log: AvailabilityLog) {
  try {
    return databaseUrl(option, url, environment);
  } catch (error) {
    if (!reported.has(option)) log.error(`${errorMessage(error)} Until then, responses are a 503.`);
    reported.add(option);
    // Without its cause, which would be logged for each request.
    throw new ServiceUnavailableError('The server has no database.', RETRY_SECONDS);
  }
}

export function createAvailability(log: AvailabilityLog): Availability {
  let isLost = false;
  return {
    async run(task) {
      try {
        const result = await task();
        if (isLost) log.info('The database can be used again.');
        isLost = false;
        return result;
      } catch (error) {
        if (error instanceof ServiceUnavailableError) {
          if (!isLost) log.error(error.message);
          isLost = true;
          throw error;
        }
        const code = codeOf(error);
        if (code !== undefined && STOPPED.has(code)) {
          throw new ServiceUnavailableError(
            'The database stopped this query, because it took too long. Ask for less, or try again later.',
            RETRY_SECONDS,
          );
        }
        if (!isConnectionProblem(error, code)) throw error;
        if (!isLost) {
          log.error(
            `The database cannot be reached: ${describe(error)}. Until it is back, responses that are not cached are a 503.`,
          );
        }
        isLost = true;
        throw new ServiceUnavailableError('The database cannot be reached. Try again later.', RETRY_SECONDS);
      }
    },
  };
}

const RETRY_SECONDS = 5;
/**
 * Canceled after its time, or by a standby that had to remove rows which the query could read. Source: PostgreSQL,
 * appendix A.
 */
const STOPPED: ReadonlySet<string> = new Set(['57014', '40001']);
/**
 * Classes and codes: connection exceptions, insufficient resources, operator intervention, system errors, wrong password,
 * missing database, missing right, a transaction that was idle for too long.
 */
const UNREACHABLE = /^(?:08|53|57P|58|28|3D000|42501|25P03)/;
/** Errors of sockets, and of names of hosts. */
const SOCKET = /^(?:E[A-Z]+|EAI_AGAIN)$/;
/** Errors of the driver, which have no code. */
const DRIVER =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|Query read timeout/;

function isConnectionProblem(error: unknown, code: string | undefined): boolean {
  if (code !== undefined) return UNREACHABLE.test(code) || SOCKET.test(code);
  return error instanceof Error && DRIVER.test(error.message);
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

function describe(error: unknown): string {
  return errorMessage(error instanceof AggregateError ? error.errors[0] : error).replace(/\.$/, '');
}
