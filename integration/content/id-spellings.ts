/** An id as it may be kept: itself, and a UUID in lower and in upper case. Source: Drupal, where UUIDs match in any case. */
export function idSpellings(id: string): readonly string[] {
  return UUID.test(id) ? [id, id.toLowerCase(), id.toUpperCase()] : [id];
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
