/**
 * The text of a response that this server has made for itself. Undefined if it has more than `most` bytes: then the rest is
 * neither read nor made.
 */
export async function readText(
  { body }: Response,
  most: number,
): Promise<{ readonly text: string; readonly bytes: number } | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), bytes };
}
