import { createRequire } from 'node:module';
import type { Router as KoaRouter } from '@koa/router';

const require = createRequire(import.meta.url);
/**
 * @koa/router in its CommonJS form: the other form imports Node's HTTP module, with the cost that `node-http.ts`
 * describes.
 */
export const Router: typeof KoaRouter = require('@koa/router').Router;
