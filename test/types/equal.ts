/** True if two types are identical to the compiler, including `any` and optionality. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only where `T` is true. */
export type Expect<T extends true> = T;
