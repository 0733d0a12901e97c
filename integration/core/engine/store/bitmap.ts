/** A set of row numbers below `size`, one bit each. Bits from `size` on are always 0. */
export class Bitmap {
  readonly size: number;
  readonly words: Int32Array;

  constructor(size: number, words: Int32Array = new Int32Array((size + 31) >>> 5)) {
    this.size = size;
    this.words = words;
  }

  static full(size: number): Bitmap {
    const bitmap = new Bitmap(size);
    bitmap.words.fill(-1);
    bitmap.#trim();
    return bitmap;
  }

  static of(size: number, rows: ArrayLike<number>): Bitmap {
    const bitmap = new Bitmap(size);
    for (let i = 0; i < rows.length; i++) bitmap.add(rows[i]!);
    return bitmap;
  }

  has(row: number): boolean {
    return (this.words[row >>> 5]! & (1 << (row & 31))) !== 0;
  }

  add(row: number): void {
    this.words[row >>> 5]! |= 1 << (row & 31);
  }

  delete(row: number): void {
    this.words[row >>> 5]! &= ~(1 << (row & 31));
  }

  clone(): Bitmap {
    return new Bitmap(this.size, this.words.slice());
  }

  /** Intersects in place. */
  and(other: Bitmap): this {
    const { words } = this;
    const others = other.words;
    for (let i = 0; i < words.length; i++) words[i]! &= others[i]!;
    return this;
  }

  or(other: Bitmap): this {
    const { words } = this;
    const others = other.words;
    for (let i = 0; i < words.length; i++) words[i]! |= others[i]!;
    return this;
  }

  /** Complements in place. */
  not(): this {
    const { words } = this;
    for (let i = 0; i < words.length; i++) words[i] = ~words[i]!;
    this.#trim();
    return this;
  }

  count(): number {
    const { words } = this;
    let count = 0;
    for (let i = 0; i < words.length; i++) count += bitCount(words[i]!);
    return count;
  }

  /** The rows in ascending order. Passing the `count` saves one pass. */
  rows(count: number = this.count()): Int32Array {
    const rows = new Int32Array(count);
    const { words } = this;
    let next = 0;
    for (let i = 0; i < words.length; i++) {
      let word = words[i]!;
      while (word !== 0) {
        rows[next++] = (i << 5) + 31 - Math.clz32(word & -word);
        word &= word - 1;
      }
    }
    return rows;
  }

  /** The rows at positions `offset` to `offset + limit` of the ascending set. */
  slice(offset: number, limit: number): number[] {
    const rows: number[] = [];
    const { words } = this;
    let skip = offset;
    for (let i = 0; i < words.length && rows.length < limit; i++) {
      let word = words[i]!;
      if (word === 0) continue;
      if (skip > 0) {
        const inWord = bitCount(word);
        if (inWord <= skip) {
          skip -= inWord;
          continue;
        }
      }
      while (word !== 0 && rows.length < limit) {
        if (skip > 0) skip--;
        else rows.push((i << 5) + 31 - Math.clz32(word & -word));
        word &= word - 1;
      }
    }
    return rows;
  }

  #trim(): void {
    const rest = this.size & 31;
    if (rest !== 0) this.words[this.words.length - 1]! &= (1 << rest) - 1;
  }
}

export function bitCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
