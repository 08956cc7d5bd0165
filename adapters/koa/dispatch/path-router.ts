import { createRequire } from 'node:module';
import type { Router as KoaRouter } from '@koa/router';
import type { Context } from 'koa';
import { METHODS } from '../node-http.ts';
import { areaSegment, byLiteralsFirst, routerPath, withoutTrailingSlash } from '../routing/path.ts';
import type { Method, Route } from '../routing/route.ts';
import { onDemand } from '../wire/lazy-values.ts';

const require = createRequire(import.meta.url);
/**
 * The CommonJS build of the router. The ES module build imports Node's HTTP module, at the cost described in
 * `node-http.ts`.
 */
const Router: typeof KoaRouter = require('@koa/router').Router;

export interface PathRoutes {
  readonly byMethod: ReadonlyMap<Method, Route>;
  readonly allow: string;
}

interface Serving {
  readonly basePath: string;
  readonly serve: (ctx: Context, found: PathRoutes) => Promise<void>;
}

/**
 * Finds the routes of a path. A router tries its paths one after another. Therefore each area has one router per number
 * of segments. Each router is created on first use.
 */
export function pathRouter(routes: readonly Route[], serving: Serving) {
  const areas = Map.groupBy(routesByPath(routes), ([path]) => areaSegment(path));
  const routers = new Map([...areas].map(([area, paths]) => [area, routersByDepth(paths, serving)]));
  const routerOf = (fullPath: string) => {
    const path = fullPath.slice(serving.basePath.length);
    const byDepth = routers.get(areaSegment(path));
    return byDepth?.[Math.min(depthOf(path), byDepth.length - 1)]?.();
  };
  return {
    knows: (path: string): boolean => (routerOf(path)?.router.match(path, 'GET').path.length ?? 0) > 0,
    route(ctx: Context, path: string, unknown: () => Promise<void>): Promise<void> {
      const area = routerOf(path);
      return area === undefined ? unknown() : (area.routed(ctx as never, unknown) as Promise<void>);
    },
  };
}

type Paths = readonly (readonly [path: string, PathRoutes])[];

/** Number of segments. A trailing slash does not count. */
function depthOf(path: string): number {
  return withoutTrailingSlash(path).split('/').length - 1;
}

/** Returns the routers of an area by number of segments. The last router also serves longer paths. */
function routersByDepth(paths: Paths, serving: Serving) {
  const longest = Math.max(...paths.map(([path]) => depthOf(path)));
  return Array.from({ length: longest + 2 }, (_, depth) =>
    onDemand(() =>
      routerOver(
        // A search key can be empty and can contain slashes.
        paths.filter(([path]) =>
          path.endsWith('/{searchKey}') ? depth >= depthOf(path) - 1 : depth === depthOf(path),
        ),
        serving,
      ),
    ),
  );
}

function routerOver(paths: Paths, { basePath, serve }: Serving) {
  const router = new Router({ sensitive: true, strict: false });
  const known = new Set(paths.map(([path]) => path));
  for (const [path, found] of paths) {
    // A path with a trailing slash is a search with an empty key (http-api §1 rule 2).
    const strict = known.has(`${path}/{searchKey}`);
    // An unsupported method does not make a path unknown (http-api §1 rule 7).
    router.register(basePath + routerPath(path), METHODS, (ctx) => serve(ctx, found), { strict });
  }
  return { router, routed: router.routes() };
}

function routesByPath(routes: readonly Route[]): ReadonlyMap<string, PathRoutes> {
  const paths = [...new Set(routes.map((route) => route.path))].sort(byLiteralsFirst);
  const byPath = Map.groupBy(routes, (route) => route.path);
  return new Map(
    paths.map((path) => {
      const byMethod = new Map((byPath.get(path) ?? []).map((route) => [route.method, route]));
      return [path, { byMethod, allow: allowHeader([...byMethod.keys()]) }];
    }),
  );
}

function allowHeader(methods: readonly Method[]): string {
  const names = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...names, 'OPTIONS'].join(', ');
}
