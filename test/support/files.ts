/** A file of `test/support/fixtures`. */
export function fixture(path: string): URL {
  return new URL(`./fixtures/${path}`, import.meta.url);
}

/** A file of `examples`. */
export function example(path: string): URL {
  return new URL(`../../examples/${path}`, import.meta.url);
}
