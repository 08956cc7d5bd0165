/**
 * For tests of host applications: a clock that a test moves, a gateway that it scripts, a catalog that it sets, and a
 * check of catalog plugins. Entry point `billwright/testing`.
 */

export * from '../payments/index.ts';
export { type CatalogPluginSubject, checkCatalogPlugin } from './check-catalog-plugin.ts';
export { type ClockStep, type FakeClock, fakeClock } from './fake-clock.ts';
export { type MemoryCatalogPlugin, memoryCatalogPlugin } from './memory-catalog-plugin.ts';
