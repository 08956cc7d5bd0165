import { ProductCategory } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import type { Product } from '../model/catalog-model.ts';
import { NameKind } from './names.ts';
import { checkLimits } from './unit-limits.ts';
import type { VersionCheck } from './version-check.ts';

export function* checkProducts(check: VersionCheck): Steps<void> {
  const addOns = new Set(
    check.content.products
      .filter((product) => product.category === ProductCategory.ADD_ON)
      .map((product) => product.name),
  );
  for (const product of check.content.products) {
    check.names.declare(NameKind.PRODUCT, product);
    checkAddOns(check, product, addOns);
    checkLimits(check, product.limits, `Product "${product.name}"`);
    yield;
  }
}

function checkAddOns(check: VersionCheck, product: Product, addOns: ReadonlySet<string>): void {
  checkAddOnList(check, { product, list: 'included', addOns });
  checkAddOnList(check, { product, list: 'available', addOns });
  const included = new Set(product.included);
  product.available.forEach((name, index) => {
    if (name === product.name || !included.has(name)) return;
    check.findings.error(`Product "${product.name}": add-on "${name}" is both included and available`, [
      product.available,
      'addonProduct',
      index,
    ]);
  });
}

interface AddOnList {
  readonly product: Product;
  readonly list: 'included' | 'available';
  readonly addOns: ReadonlySet<string>;
}

/** V3, one error per list; V4. */
function checkAddOnList(check: VersionCheck, { product, list, addOns }: AddOnList): void {
  const owner = `Product "${product.name}"`;
  const names = product[list];
  if (names.includes(product.name)) {
    check.findings.error(`${owner} lists itself in its ${list} products`, [
      names,
      'addonProduct',
      names.indexOf(product.name),
    ]);
  }
  const isBase = product.category === ProductCategory.BASE;
  if (!isBase && names.some((name) => name !== product.name)) {
    check.findings.error(`${owner} is ${product.category}: only a BASE product has ${list} products`, [
      names,
    ]);
  }
  names.forEach((name, index) => {
    if (name === product.name) return;
    const place = [names, 'addonProduct', index] as const;
    if (!check.names.refer({ owner, kind: NameKind.PRODUCT, name, place })) return;
    if (isBase && !addOns.has(name)) {
      check.findings.error(`${owner}: its ${list} product "${name}" is not an ADD_ON`, place);
    }
  });
}
