export function slugFor(title: string, taken: (slug: string) => boolean): string {
  const slug =
    title
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'untitled';
  for (let n = 1; ; n++) {
    const s = n === 1 ? slug : `${slug}-${n}`;
    if (!taken(s)) return s;
  }
}
