import { ClientGoneError } from '../engine/time-slices.ts';
import type { Streamed } from '../read/compose.ts';

/** Milliseconds that a client may take nothing before the server closes the connection. */
export const IDLE_MS = 60_000;

/** The connection that an answer is sent over. Servers that wait for slow clients by themselves need not pass it. */
export interface Connection {
  /** Undefined if the client takes more; else resolves when it does, or when the connection is closed. */
  drained(): Promise<void> | undefined;
  /** Closes the connection at once, so that the client sees that the answer is not complete. */
  destroy(): void;
}

/**
 * The body of a large answer. A chunk is made when the client has taken the one before; a client that takes nothing for
 * IDLE_MS is cut off. After an error the answer stays incomplete, and the error is logged. Throws a 503 if too many
 * clients read large answers.
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
    // Lets go of the entities. Nothing waits for it.
    void source.return();
  }

  function fail(controller: ReadableStreamDefaultController, error: unknown): void {
    if (!isOpen) return;
    close();
    connection?.destroy();
    controller.error(error);
  }

  function expectReader(controller: ReadableStreamDefaultController): void {
    idle = setTimeout(() => fail(controller, new Error('The client did not read the answer.')), IDLE_MS);
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
            console.error('[astro-jsonapi] An answer is incomplete:', error);
          }
          fail(controller, error);
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
