export function fixture(path: string): URL {
  return new URL(`./fixtures/${path}`, import.meta.url);
}

export function example(path: string): URL {
  return new URL(`../../examples/${path}`, import.meta.url);
}
