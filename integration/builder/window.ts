/** One page of a longer list. */
export interface Window<T> {
  readonly data: T[];
  /** From 1. */
  readonly number: number;
  /** Entities a full page holds. */
  readonly size: number;
  /** Entities on all pages. */
  readonly count: number;
  /** How many pages there are; 1 when there are no entities. */
  readonly pages: number;
  /** Position of the page's first and last entity in the whole list, from 1; both 0 when there are none. */
  readonly from: number;
  readonly to: number;
  /** Whether this is the first, and the last, page. */
  readonly first: boolean;
  readonly last: boolean;
  /** Numbers of the neighbouring pages. */
  readonly previous: number | null;
  readonly next: number | null;
}

/** Cuts a list into pages of `size`; an empty list is one empty page. */
export function paginate<T>(entities: readonly T[], size: number): Window<T>[] {
  if (!Number.isInteger(size) || size < 1) {
    throw new Error(`paginate({ size: ${size} }): the size of a page must be a whole number from 1.`);
  }
  const count = entities.length;
  const pages = Math.max(1, Math.ceil(count / size));
  return Array.from({ length: pages }, (_, index) => {
    const data = entities.slice(index * size, (index + 1) * size);
    const number = index + 1;
    return {
      data,
      number,
      size,
      count,
      pages,
      from: data.length === 0 ? 0 : index * size + 1,
      to: index * size + data.length,
      first: number === 1,
      last: number === pages,
      previous: number === 1 ? null : number - 1,
      next: number === pages ? null : number + 1,
    };
  });
}
