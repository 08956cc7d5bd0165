import type { ComponentType } from 'preact';
import { pagePath } from './location.ts';

/** A page component with the id in its path; empty for a path without an id. */
export type PageComponent = ComponentType<{ readonly id: string }>;

export interface PageRoute {
  /** Path within the tenant. The segment `:id` is the id of an object. */
  readonly path: string;
  /** Loads the page on first use. */
  readonly load: () => Promise<PageComponent>;
}

/** Returns the page of the current path with the id in the path; null for an unknown path. */
export function matchedPage(routes: readonly PageRoute[]) {
  const given = pagePath.value.split('/');
  for (const route of routes) {
    const pattern = route.path.split('/');
    const isMatch = pattern.every((segment, index) => segment === ':id' || segment === given[index]);
    if (isMatch && pattern.length === given.length) return { route, id: given[pattern.indexOf(':id')] ?? '' };
  }
  return null;
}
