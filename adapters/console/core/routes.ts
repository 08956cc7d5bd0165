import type { ComponentType } from 'preact';
import { pagePath } from './location.ts';

/** Values of the path, such as `id` of `/accounts/:id`. */
export type PathValues = Readonly<Record<string, string>>;

/** A page component with its values from the path. */
export type PageComponent = ComponentType<{ readonly path: PathValues }>;

export interface PageRoute {
  /** Path within the tenant. A segment that starts with `:` is a value. */
  readonly path: string;
  /** Loads the page on first use. */
  readonly load: () => Promise<PageComponent>;
}

export interface MatchedPage {
  readonly route: PageRoute;
  readonly values: PathValues;
}

/** Returns the page of the current path; null for an unknown path. */
export function matchedPage(routes: readonly PageRoute[]): MatchedPage | null {
  const given = pagePath.value.split('/').slice(1);
  for (const route of routes) {
    const values = valuesOf(route.path.split('/').slice(1), given);
    if (values !== null) return { route, values };
  }
  return null;
}

function valuesOf(pattern: readonly string[], given: readonly string[]): PathValues | null {
  if (pattern.length !== given.length) return null;
  const values: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith(':')) values[segment.slice(1)] = value;
    else if (segment !== value) return null;
  }
  return values;
}
