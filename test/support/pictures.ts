/** The header of a PNG of this size, enough to read its dimensions. */
export function png(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

export function svg(width: number, height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><script>alert(1)</script></svg>`;
}

/** Complete images of 8 × 8 pixels, by file name. */
export const WHOLE_IMAGES: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  Object.entries({
    'a.png':
      'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAA00lEQVQImQHIADf/AAAlSm+Uud4DKE1yl7zhBitQdZq/5AkuUwB4ncLnDDFWe6DF6g80WX6jyO0SN1yBpssA8BU6X4SpzvMYPWKHrNH2G0Bliq/U+R5DAGiNstf8IUZrkLXa/yRJbpO43QInTHGWuwDgBSpPdJm+4wgtUnecweYLMFV6n8TpDjMAWH2ix+wRNluApcrvFDleg6jN8hc8YYarAND1Gj9kia7T+B1CZ4yx1vsgRWqPtNn+IwBIbZK33AEmS3CVut8EKU5zmL3iByxRdptWNF4hPKf9jAAAAABJRU5ErkJggg==',
    'a.jpg':
      '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAeEAACAQMFAAAAAAAAAAAAAAABAgADESExMmGR8P/EABUBAQEAAAAAAAAAAAAAAAAAAAAC/8QAFxEAAwEAAAAAAAAAAAAAAAAAAQIRAP/aAAwDAQACEQMRAD8AjAKq01Ci+uRb2euNyIkM5UCYGgs3/9k=',
    'a.webp':
      'UklGRmIAAABXRUJQVlA4IFYAAACwAQCdASoIAAgABABoJagCdADzesxgAM4qMJHfnZ6I7v8QGyOn8tnxnnuxSmf9/BweunaKg34D6QHF8F05TFlmDVl3gXwsvn+uyWw16xqlOo74KSuAAA==',
    'a.gif':
      'R0lGODlhCAAIAIYAAExpcQswVRI3XOAFKjZbgD1ihwQpTmGGq2iNsrzhBq7T+LXa/4Oozdf8IYqv1Fh9ol+EqSZLcC1SdzRZfgInTPsgRaXK76zR9nOYvcfsEXqfxM7zGE90mVZ7oB1CZyRJbitQdfIXPPkeQ5W635zB5qPI7WqPtL7jCHGWu8XqDz9kiUZrkE1ylxQ5XhtAZeIHLOkOM9n+I4yx1pO43Zq/5OcMMdD1Gkhtkm+UuXidwrfcAfAVOgkuU1F2m94DKIGmywAlSgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACH5BAUAAAAALAAAAAAIAAgAAAdCgEA4PiwJIDQ8OTUdKRMlAj87EBsFFy4OIggNKwsfMxQoAxwnEiQBGjAPGQQWLQwhBzYqCh4yFSYxNzoRIwYYLz2BADs=',
    'a.avif':
      'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAADYAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAgAAAAIAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAA+bWRhdBIACgg4CL9pAQ0GkDIoHYJixOAAFjjg7CS0b5Mwf2vp1NuDx/LJv6/y/nlJR02K5/lRhUFUIA==',
  }).map(([name, base64]) => [name, Buffer.from(base64, 'base64')]),
);

/** An AVIF whose property list is too short for a size. Astro fails a build that shows it. */
export function avifWithoutSize(): Uint8Array {
  const bytes = Buffer.from(WHOLE_IMAGES['a.avif'] ?? []);
  bytes[bytes.indexOf('ipco') - 1] = 0x14;
  return bytes;
}
