import { ClientGoneError } from '../engine/time-slices.ts';
import type { Streamed } from '../read/compose.ts';

/** Milliseconds without a read after which the server closes the connection. */
export const IDLE_MS = 60_000;

/** The connection of a response. Servers that wait for slow clients by themselves need not pass it. */
export interface Connection {
  /** Undefined if the client can receive more; else resolves when it can, or when the connection is closed. */
  drained(): Promise<void> | undefined;
  /** Closes the connection immediately, so that the client notices that the response is incomplete. */
  destroy(): void;
}

/**
 * The body of a large response. A chunk is written when the client has received the previous one; a client that reads nothing
 * for IDLE_MS is disconnected. After an error the response stays incomplete, and the error is logged. Throws
 * ServiceUnavailableError if too many clients read large responses.
 */
export function streamAnswer(
  { chunks, work }: Streamed,
  connection: Connection | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const leave = work.open();
  const source = chunks();
  let isOpen = true;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function close(): void {
    isOpen = false;
    clearTimeout(idle);
    leave();
    // Releases the entities. Nothing waits for it.
    void source.return();
  }

  function fail(controller: ReadableStreamDefaultController, error: unknown): void {
    if (!isOpen) return;
    close();
    connection?.destroy();
    controller.error(error);
  }

  function expectReader(controller: ReadableStreamDefaultController): void {
    idle = setTimeout(() => fail(controller, new Error('The client did not read the response.')), IDLE_MS);
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: expectReader,
      async pull(controller) {
        const drained = connection?.drained();
        if (drained !== undefined) await drained;
        if (!isOpen) return;
        clearTimeout(idle);
        try {
          const { done, value } = await work.writeChunk(() => source.next());
          if (!isOpen) return;
          if (done === true) {
            close();
            controller.close();
            return;
          }
          controller.enqueue(value);
          expectReader(controller);
        } catch (error) {
          if (!(error instanceof ClientGoneError)) {
            console.error('[astro-jsonapi] A response is incomplete:', error);
          }
          fail(controller, error);
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
